import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/** What kustomize makes of a folder, an object of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

export const overlays = ['dev', 'production'] as const;

const programs = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
] as const;
const timeoutMs = 60_000;

/** The program that renders; undefined if neither kubectl nor kustomize is here. */
export const kustomize = programs.find(([program, verb]) => {
  try {
    execFileSync(program, [verb, '--help'], { stdio: 'ignore', timeout: timeoutMs });
    return true;
  } catch {
    return false;
  }
});

/** Renders a folder, given relative to `k8s`. Throws what kustomize says if it cannot. */
export function render(folder: string): Manifest[] {
  if (!kustomize) throw new Error('neither kubectl nor kustomize is here');
  const [program, verb] = kustomize;
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
