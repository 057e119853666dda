// `npm run test:citus`: runs the contract, the isolation of tenants, the model of the directory, and the specs of unusual
// statements on a Citus cluster. CITUS_URL is the address of a database of its coordinator, as a superuser who may connect to
// all nodes; the tests create their own.
import { fileURLToPath } from 'node:url';
import { run } from './command.mjs';

const files = [
  'libs/database/src/tenant-isolation.int.spec.ts',
  'libs/database/src/delivery/delivery-state.int.spec.ts',
  'libs/database/src/directory/keys-and-references.int.spec.ts',
  ...['complete-lists', 'filter-documents', 'search-documents'].map(
    (name) => `libs/database/src/gateway/identities/${name}.int.spec.ts`,
  ),
  'apps/directory/src/matching/propose-matches.int.spec.ts',
  'apps/directory/src/operations/preview.int.spec.ts',
  'apps/directory/src/operations/tenant-change.int.spec.ts',
  'apps/gateway/src/true-numbers.int.spec.ts',
  'apps/sync-worker/src/batch-shares.int.spec.ts',
  ...['model', 'operations', 'pipeline', 'record-jobs', 'scim-push', 'spec-walk', 'webhook-events'].map(
    (name) => `test/${name}.e2e.spec.ts`,
  ),
];

if (!process.env.CITUS_URL) {
  process.stdout.write('Skipped: CITUS_URL names no coordinator of Citus\n');
} else {
  const program = fileURLToPath(new URL('test.mjs', import.meta.url));
  const words = ['--tiers', 'all', '--maxWorkers=1', '--runTestsByPath', ...files];
  process.exitCode = (await run(process.execPath, [program, ...words], {})).status;
}
