import { resolve } from 'node:path';
import type { responses } from '@idsync/contracts';
import { type QuotaName, quotaNames } from '@idsync/contracts/fixed-values';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { exportTo } from '../export-file.js';
import { confirmName, fieldsOf } from '../input.js';
import type { Session } from '../session.js';

export function addTenantCommands(program: CliCommand): void {
  const tenants = program.add('tenants', 'list, show, create, limit, rename, suspend, export and delete tenants');
  addQuotaCommands(tenants);

  tenants.add('list', 'list all tenants', '').does(async (session) => {
    const list = await session.installation.all('GET /tenants', {});
    session.printList(list, ['id', 'name', 'created_at', 'suspended_at']);
  });

  tenants
    .add('show', 'show a tenant', '')
    .argument('[tenant]', 'id of the tenant (default: the selected one)')
    .prints((session, tenant: string | undefined) =>
      session.installation.call('GET /tenants/{tenantId}', tenant ?? session.tenant),
    );

  tenants
    .add('create', 'create a tenant', 'Acme')
    .argument('<name>', 'display name of the tenant')
    .prints((session, name: string) => session.installation.call('POST /tenants', {}, { name }));

  for (const [usage, description, example, bodyOf] of [
    ['rename <tenant> <name>', 'rename a tenant', 'ten_… Acme', (name: string) => ({ name })],
    [
      'suspend <tenant>',
      'suspend a tenant: its keys answer 403, and no source is read',
      'ten_…',
      () => ({ suspended: true }),
    ],
    ['resume <tenant>', 'resume a suspended tenant', 'ten_…', () => ({ suspended: false })],
  ] as const) {
    tenants
      .add(usage, description, example)
      .prints((session, tenant: string, name: string) =>
        session.installation.call('PATCH /tenants/{tenantId}', tenant, bodyOf(name)),
      );
  }

  addTenantRemovalCommands(tenants);
}

const setHelp = `
Other limits stay as they are; "unlimited" removes one. Only operators of all tenants may change them.

Example:
  $ idsync tenants quotas set --people 10000 --requests-per-minute 5000
  $ idsync tenants quotas set --webhooks unlimited`;

/** Adds `tenants quotas`. */
function addQuotaCommands(tenants: CliCommand): void {
  const quotas = tenants.add('quotas', 'see and change the limits of a tenant');

  quotas.add('show', 'show the limits of the tenant, and how much of them is used', '').does(async (session) => {
    print(session, await session.client.call('GET /quotas', {}));
  });

  quotas
    .add('set', 'change limits of the tenant')
    .option('--people <count>', 'users that are not deleted')
    .option('--connectors <count>', 'connectors')
    .option('--webhooks <count>', 'webhooks')
    .option('--requests-per-minute <count>', 'requests of all keys of the tenant, at each gateway')
    .addHelpText('after', setHelp)
    .does(async (session, options: object) => {
      const before = await session.client.call('GET /quotas', {});
      const given = fieldsOf(options) as Record<string, string | undefined>;
      const limits = quotaNames.flatMap((name) => {
        const limit = limitOf(name, given[name], before[name].limit);
        return limit === undefined ? [] : [[name, limit] as const];
      });
      print(session, await session.client.call('PUT /quotas', {}, Object.fromEntries(limits)));
    });
}

function limitOf(name: QuotaName, given: string | undefined, before: number | undefined): number | undefined {
  if (given === undefined) return before;
  if (given === 'unlimited') return undefined;
  if (!/^\d+$/.test(given))
    throw new UsageError(`--${name.replaceAll('_', '-')} must be a whole number or "unlimited", got "${given}"`);
  return Number(given);
}

function print(session: Session, usage: responses.QuotaUsage): void {
  if (session.format === 'json') {
    session.printOne(usage);
    return;
  }
  const data = quotaNames.map((quota) => ({ quota, ...usage[quota] }));
  session.printItems({ data }, ['quota', ['limit', ({ limit }) => limit ?? 'unlimited'], 'used']);
}

function addTenantRemovalCommands(tenants: CliCommand): void {
  tenants
    .add('export <tenant>', 'write all data of a tenant to a file as JSON lines, without secrets')
    .requiredOption('--file <path>', 'a new file; compressed if its name ends with .gz')
    .example('ten_… --file acme.jsonl.gz')
    .does(async (session, tenant: string, { file }: { file: string }) => {
      const lines = await exportTo(session, tenant, resolve(session.io.cwd ?? process.cwd(), file));
      session.printOne(lines);
    });

  tenants
    .add('delete <tenant>', 'delete a tenant with all its data, in the background; this cannot be undone')
    .option('--dry-run', 'show what would be deleted, and change nothing')
    .option('--name <name>', 'the exact name of the tenant, instead of the confirmation')
    .example('ten_… --dry-run')
    .does(async (session, tenant: string, options: { dryRun?: boolean; name?: string }) => {
      const found = await session.installation.call('GET /tenants/{tenantId}/deletion', tenant);
      if (options.dryRun) {
        session.printOne(found);
        return;
      }
      if (options.name === undefined) {
        await confirmName(session.io, `Delete ${found.name} with ${listed(found.contents)}?`, found.name);
      }
      const name = options.name ?? found.name;
      session.printOne(await session.installation.call('POST /tenants/{tenantId}/deletion', tenant, { name }));
      session.note(`its keys have stopped; "idsync tenants deletion ${tenant}" shows the progress`);
    });

  tenants
    .add('deletion <tenant>', 'show the progress of a deletion; the tenant is deleted when it does not exist', 'ten_…')
    .prints((session, tenant: string) => session.installation.call('GET /tenants/{tenantId}/deletion', tenant));
}

function listed(contents: responses.TenantDeletion['contents']): string {
  return Object.entries(contents)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ');
}
