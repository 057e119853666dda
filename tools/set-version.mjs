// `npm run set-version 0.2.0`: writes the version of the next release, which package.json decides, into every other file that
// has it. test/version.spec.ts checks that they agree.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const next = process.argv[2] ?? '';
if (!/^\d+\.\d+\.\d+$/.test(next)) {
  process.stderr.write(`usage: npm run set-version MAJOR.MINOR.PATCH, got "${next}"\n`);
  process.exit(2);
}
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const manifests = ['package.json', 'apps/*/package.json', 'libs/*/package.json'];
const deployments = ['k8s/chart/Chart.yaml', 'k8s/*/kustomization.yaml'];
const listed = execFileSync('git', ['ls-files', '-z', '--', ...manifests, ...deployments, 'openapi.json']);
const keys = '(?:version|appVersion|newTag|@idsync/[\\w-]+)';
const line = new RegExp(`^( *"?${keys}"?: "?)${version.replaceAll('.', '\\.')}(?="?,?$)`, 'gm');
for (const file of listed.toString().split('\0').filter(Boolean))
  writeFileSync(file, readFileSync(file, 'utf8').replace(line, `$1${next}`));
// Other packages may have the same version as idsync.
execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { stdio: 'inherit' });
