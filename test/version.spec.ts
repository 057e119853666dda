import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const files = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
const { version } = JSON.parse(read('package.json'));

function ofManifest(path: string, manifest: Manifest): [string, string][] {
  const packages = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  const own = packages.filter(([name]) => name.startsWith('@idsync/'));
  return [[path, manifest.version], ...own.map(([name, at]): [string, string] => [`${path}: ${name}`, at])];
}

it('package.json decides the version of packages, chart, images, API and changelog: npm run set-version', () => {
  const locked: [string, Manifest][] = Object.entries(JSON.parse(read('package-lock.json')).packages);
  const { version: ofChart, appVersion } = parse(read('k8s/chart/Chart.yaml'));
  const places: [string, string | undefined][] = [
    ...files('apps/*/package.json', 'libs/*/package.json').flatMap((file) => ofManifest(file, JSON.parse(read(file)))),
    ...locked
      .filter(([path]) => !path.includes('node_modules/'))
      .flatMap(([path, manifest]) => ofManifest(`package-lock.json: ${path}`, manifest)),
    ['k8s/chart/Chart.yaml: version', ofChart],
    ['k8s/chart/Chart.yaml: appVersion', appVersion],
    ...files('k8s/*/kustomization.yaml', ':!k8s/overlays/dev').flatMap((file) =>
      (parse(read(file)).images ?? [])
        .filter(({ name }: { name: string }) => name.startsWith('idsync/'))
        .map(({ name, newTag }: { name: string; newTag: string }) => [`${file}: ${name}`, newTag]),
    ),
    ['openapi.json', JSON.parse(read('openapi.json')).info.version],
    ['CHANGELOG.md', /^## (\d+\.\d+\.\d+) \(/m.exec(read('CHANGELOG.md'))?.[1]],
  ];
  expect(places.length).toBeGreaterThan(60);
  expect(places.filter(([, at]) => at !== version)).toEqual([]);
});
