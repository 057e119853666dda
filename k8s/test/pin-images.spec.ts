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
  for (const file of ['kustomization.yaml', 'values.yaml'])
    cpSync(join(root, 'k8s/overlays/example', file), join(folder, file));
  cpSync(join(root, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
  cpSync(join(root, 'k8s/chart/values.yaml'), join(folder, 'chart.yaml'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const team = 'registry.example.com:5000/team';

function pin(
  targets: readonly string[],
  file = 'kustomization.yaml',
  registries: Record<string, string> = {},
): { status: number | null; stderr: string; text: string } {
  const metadata = targets.map((name, at) => [
    `image-${name}`,
    {
      'image.name': `${registries[name] ?? team}/${name}:1.2.3`,
      'containerimage.digest': `sha256:${String(at).repeat(64)}`,
    },
  ]);
  writeFileSync(join(folder, 'images.json'), JSON.stringify(Object.fromEntries(metadata)));
  const path = join(folder, file);
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'tools/pin-images.mjs'), join(folder, 'images.json'), path],
    { encoding: 'utf8' },
  );
  return { status, stderr, text: readFileSync(path, 'utf8') };
}

describe('tools/pin-images.mjs', () => {
  it('replaces each image of an overlay with the digest of the release and keeps all other lines', () => {
    const { status, text } = pin(names);
    expect(status).toBe(0);
    expect(parse(text).images).toEqual(
      names.map((name, at) => ({
        name: `idsync/${name}`,
        newName: `${team}/${name}`,
        digest: `sha256:${String(at).repeat(64)}`,
      })),
    );
    expect(text).toContain('# The ClusterSecretStore.');
  });

  it('writes registry and digests into values of the chart and keeps all other lines', () => {
    const { status, text } = pin(names, 'values.yaml');
    expect(status).toBe(0);
    const digests = Object.fromEntries(names.map((name, at) => [name, `sha256:${String(at).repeat(64)}`]));
    expect(parse(text).image).toEqual({ registry: team, digests });
    expect(text).toContain('# The settings of kustomization.yaml for Helm.');
  });

  it('writes registry and digests into the defaults of the chart', () => {
    const { status, text } = pin(names, 'chart.yaml');
    expect(status).toBe(0);
    const digests = Object.fromEntries(names.map((name, at) => [name, `sha256:${String(at).repeat(64)}`]));
    expect(parse(text).image).toEqual({ registry: team, digests, pullSecrets: [] });
  });

  it('makes Compose pull the images of the release, and changes nothing else', () => {
    const merged = { merge: true };
    const before = parse(readFileSync(join(folder, 'docker-compose.yml'), 'utf8'), merged);
    const { status, text } = pin([...names, 'cli'], 'docker-compose.yml');
    expect(status).toBe(0);
    for (const [at, name] of [...names, 'cli'].entries()) {
      const { build, pull_policy, ...rest } = before.services[name];
      before.services[name] = { ...rest, image: `${team}/${name}@sha256:${String(at).repeat(64)}` };
    }
    expect(parse(text, merged)).toEqual(before);
    expect(text).toContain('# Runs once, before the services.');
  });

  it('writes no values if the images are in several registries', () => {
    const { status, stderr } = pin(names, 'values.yaml', { migrate: 'other.example.com' });
    expect(status).toBe(1);
    expect(stderr).toContain(`must have one registry, got ${team}, other.example.com; nothing was written`);
  });

  it('writes nothing if the release lacks an image', () => {
    const before = readFileSync(join(folder, 'kustomization.yaml'), 'utf8');
    const { status, stderr, text } = pin(['gateway']);
    expect(status).toBe(1);
    expect(stderr).toContain('no digest for directory, sync-worker, webhook-dispatcher, migrate; nothing was written');
    expect(text).toBe(before);
  });
});
