import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { parseAllDocuments } from 'yaml';

/** What kustomize makes of a folder, an object of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

/** `example` is on top of `production`, as an operator's own would be. */
export const overlays = ['dev', 'production', 'example'] as const;

const programs = [
  { program: 'kubectl', verb: 'kustomize', version: ['version', '--client'] },
  { program: 'kustomize', verb: 'build', version: ['version'] },
];
const timeoutMs = 60_000;

/** The program that renders; undefined if there is no kustomize 5 here, be it alone or in kubectl (from 1.27). */
export const kustomize = programs.find(({ program, version }) => {
  try {
    const said = execFileSync(program, version, { encoding: 'utf8', stdio: 'pipe', timeout: timeoutMs });
    return /^(Kustomize Version: )?v5\./m.test(said);
  } catch {
    return false;
  }
});

if (!kustomize)
  process.stderr.write(
    'There is no kustomize 5 here, nor a kubectl that has it: what is rendered by it is not tested.\n',
  );

/** Left out, and said so, where nothing renders; under CI it must not vanish. */
export const describeRendered = kustomize || process.env.CI === 'true' ? describe : describe.skip;

/** Renders a folder, given relative to `k8s`. Throws what kustomize says if it cannot. */
export function render(folder: string): Manifest[] {
  if (!kustomize) throw new Error('there is no kustomize 5 here');
  const { program, verb } = kustomize;
  const path = fileURLToPath(new URL(`../${folder}`, import.meta.url));
  const text = execFileSync(program, [verb, path], { encoding: 'utf8', timeout: timeoutMs, maxBuffer: 2 ** 26 });
  return parseAllDocuments(text).map((document) =>
    inOneLine(document.toJS() as Manifest & { data?: Record<string, string> }),
  );
}

/** Long values of a Secret come in several lines, which Kubernetes takes, but no validator. */
function inOneLine<Secret extends Manifest & { data?: Record<string, string> }>(manifest: Secret): Secret {
  if (manifest.kind !== 'Secret') return manifest;
  const entries = Object.entries(manifest.data ?? {}).map(([key, value]) => [key, value.replaceAll('\n', '')]);
  return { ...manifest, data: Object.fromEntries(entries) };
}
