import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { stringify } from 'yaml';
import { kustomize, type Manifest, parseManifests } from './render.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const chart = join(root, 'k8s/chart');

/** Values of the chart, or the path of a file with them, relative to `k8s`. */
export type Values = string | Record<string, unknown>;

function helm(...words: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const options = { encoding: 'utf8', timeout: 240_000, maxBuffer: 2 ** 26 } as const;
  return spawnSync(process.execPath, [join(root, 'tools/helm.mjs'), ...words], options);
}

const runs = helm('version').status === 0;
if (!runs) process.stderr.write('helm is missing: tests of the chart are skipped.\n');

/** Skips the suite if Helm or kustomize is missing; under CI the suite fails instead. */
export const describeChart = (runs && kustomize) || process.env.CI === 'true' ? describe : describe.skip;

/** Renders the chart. Throws the error of Helm. */
export function renderChart(values: Values, ...words: readonly string[]): Manifest[] {
  const { status, stdout, stderr } = withFile(values, (file) =>
    helm('template', 'idsync', chart, '--namespace', 'idsync', '--values', file, ...words),
  );
  if (status !== 0) throw new Error(stderr);
  return parseManifests(stdout);
}

/** Returns what `helm lint` prints; throws it if Helm warns. */
export function lintChart(values: Values): string {
  const { status, stdout, stderr } = withFile(values, (file) => helm('lint', '--strict', chart, '--values', file));
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout;
}

function withFile<Result>(values: Values, use: (file: string) => Result): Result {
  if (typeof values === 'string') return use(join(root, 'k8s', values));
  const folder = mkdtempSync(join(tmpdir(), 'idsync-values-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    return use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
