import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';

/** A Kubernetes object rendered by kustomize. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
}

/** `example` builds on `production`, like the overlay of an operator. */
export const overlays = ['dev', 'production', 'example'] as const;

const programs = [
  { program: 'kubectl', verb: 'kustomize', version: ['version', '--client'] },
  { program: 'kustomize', verb: 'build', version: ['version'] },
];
const timeoutMs = 60_000;

/** The program that renders: kustomize 5, standalone or in kubectl (1.27 or newer). Undefined if there is none. */
export const kustomize = programs.find(({ program, version }) => {
  try {
    const said = execFileSync(program, version, { encoding: 'utf8', stdio: 'pipe', timeout: timeoutMs });
    return /^(Kustomize Version: )?v5\./m.test(said);
  } catch {
    return false;
  }
});

if (!kustomize)
  process.stderr.write('kustomize 5 is missing, alone and in kubectl: tests of rendered manifests are skipped.\n');

/** Skips the suite if kustomize is missing; under CI the suite fails instead. */
export const describeRendered = kustomize || process.env.CI === 'true' ? describe : describe.skip;

const k8s = fileURLToPath(new URL('..', import.meta.url));

/** Renders a folder relative to `k8s`. Throws the error of kustomize. */
export function render(folder: string): Manifest[] {
  if (!kustomize) throw new Error('kustomize 5 is missing, alone and in kubectl');
  const { program, verb } = kustomize;
  const path = resolve(k8s, folder);
  const text = execFileSync(program, [verb, path], { encoding: 'utf8', timeout: timeoutMs, maxBuffer: 2 ** 26 });
  return parseManifests(text);
}

/** Renders the base with some components. */
export function renderComponents(components: readonly string[]): Manifest[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'idsync-overlay-')));
  try {
    const to = (path: string) => relative(folder, join(k8s, path));
    const kustomization = { resources: [to('base')], components: components.map((each) => to(`components/${each}`)) };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return render(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) =>
    inOneLine(document.toJS() as Manifest & { data?: Record<string, string> }),
  );
}

/** Joins multi-line values of a Secret, which Kubernetes accepts and the validators do not. */
function inOneLine<Secret extends Manifest & { data?: Record<string, string> }>(manifest: Secret): Secret {
  if (manifest.kind !== 'Secret') return manifest;
  const entries = Object.entries(manifest.data ?? {}).map(([key, value]) => [key, value.replaceAll('\n', '')]);
  return { ...manifest, data: Object.fromEntries(entries) };
}
