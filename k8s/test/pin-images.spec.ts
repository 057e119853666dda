import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher', 'migrate'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'idsync-pin-'));
  cpSync(join(root, 'k8s/overlays/example/kustomization.yaml'), join(folder, 'kustomization.yaml'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function pin(targets: readonly string[]): { status: number | null; stderr: string; text: string } {
  const metadata = targets.map((name, at) => [
    `image-${name}`,
    {
      'image.name': `registry.example.com:5000/team/${name}:1.2.3`,
      'containerimage.digest': `sha256:${String(at).repeat(64)}`,
    },
  ]);
  writeFileSync(join(folder, 'images.json'), JSON.stringify(Object.fromEntries(metadata)));
  const kustomization = join(folder, 'kustomization.yaml');
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'tools/pin-images.mjs'), join(folder, 'images.json'), kustomization],
    { encoding: 'utf8' },
  );
  return { status, stderr, text: readFileSync(kustomization, 'utf8') };
}

describe('tools/pin-images.mjs', () => {
  it('replaces each image of an overlay with the digest of the release and keeps all other lines', () => {
    const { status, text } = pin(names);
    expect(status).toBe(0);
    expect(parse(text).images).toEqual(
      names.map((name, at) => ({
        name: `idsync/${name}`,
        newName: `registry.example.com:5000/team/${name}`,
        digest: `sha256:${String(at).repeat(64)}`,
      })),
    );
    expect(text).toContain('# The ClusterSecretStore.');
  });

  it('writes nothing if the release lacks an image', () => {
    const before = readFileSync(join(folder, 'kustomization.yaml'), 'utf8');
    const { status, stderr, text } = pin(['gateway']);
    expect(status).toBe(1);
    expect(stderr).toContain('no digest for directory, sync-worker, webhook-dispatcher, migrate; nothing was written');
    expect(text).toBe(before);
  });
});
