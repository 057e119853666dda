import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface LockedPackage {
  resolved?: string;
  integrity?: string;
  link?: boolean;
}

interface Manifest {
  engines?: { node?: string; npm?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  overrides?: Record<string, unknown>;
}

interface Job {
  services?: Record<string, { ports: string[] }>;
  steps: { uses?: string; run?: string; with?: object }[];
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const locked: [string, LockedPackage][] = Object.entries(JSON.parse(read('package-lock.json')).packages);

/** All installed packages except our own. */
const installed = locked.filter(([path, { link }]) => path.includes('node_modules/') && !link);
/** The manifests of the root and the workspaces. */
const manifests = locked
  .filter(([path, { link }]) => !link && !path.includes('node_modules/'))
  .map(([path]) => [path, JSON.parse(read(`${path ? `${path}/` : ''}package.json`)) as Manifest] as const);
const npmSettings = read('.npmrc').split('\n');

describe('the lockfile', () => {
  it('has a hash for every package and uses only the npm registry', () => {
    expect(installed.length).toBeGreaterThan(500);
    const strange = installed.filter(
      ([, { integrity = '', resolved = 'https://registry.npmjs.org/' }]) =>
        !/^sha512-[\w+/]{86}==$/.test(integrity) || !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(strange).toEqual([]);
  });
});

describe('the package manifests', () => {
  it('pin every dependency to an exact version', () => {
    expect(manifests.length).toBeGreaterThan(10);
    const ranges = manifests.flatMap(([path, { dependencies, devDependencies }]) =>
      Object.entries({ ...dependencies, ...devDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    );
    expect(ranges).toEqual([]);
  });

  it('name the supported versions of Node and npm, and refuse an installation with others', () => {
    const root = manifests.find(([path]) => path === '')?.[1];
    expect(root?.engines?.node).toBeDefined();
    expect(root?.engines?.npm).toBeDefined();
    expect(npmSettings).toContain('engine-strict=true');
  });
});

describe('an installation of the packages', () => {
  it('runs no package scripts, with any npm', () => {
    expect(npmSettings).toContain('ignore-scripts=true');
  });
});

const workflows = readdirSync(new URL('../.github/workflows', import.meta.url)).map(
  (file) => parse(read(`.github/workflows/${file}`)) as { jobs: Record<string, Job> },
);
const stepsOfAll = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps));

describe('the GitHub workflows', () => {
  it('pin actions to a version', () => {
    const actions = stepsOfAll.flatMap(({ uses }) => uses ?? []);
    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/@(v\d+|[0-9a-f]{40})$/);
  });

  it('run only scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const used = stepsOfAll.flatMap(({ run = '' }) =>
      [...run.matchAll(/\bnpm run (?:--?\w+ )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    expect(used.filter((name) => !(name in scripts))).toEqual([]);
    expect(used).toEqual(expect.arrayContaining(['test:all', 'release-notes', 'pin-images']));
  });
});

describe('the GitHub workflow', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml')) as { jobs: Record<string, Job> };
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('runs .ci/run with servers on the expected ports', () => {
    const script = read('.ci/services');
    const ports = Object.values(jobs.run?.services ?? {}).flatMap((service) => service.ports);
    expect(ports).toEqual(['5432:5432', '5672:5672']);
    for (const port of ports) expect(script).toContain(`@127.0.0.1:${port.split(':')[0]}`);
    expect(steps.filter(({ run }) => run?.includes('.ci/run'))).toHaveLength(1);
    expect(jobs.run?.steps[0]?.with).toEqual({ 'fetch-depth': 0 });
  });

  it('tests the images in Docker, which .ci/run leaves out', () => {
    expect(steps.filter(({ run }) => run === 'npm run test:compose')).toHaveLength(1);
  });
});

describe('a release', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> };
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('uses only actions of GitHub', () => {
    for (const { uses } of steps.filter((step) => step.uses)) expect(uses).toMatch(/^actions\//);
  });

  it('gives its tokens only to the steps that need them', () => {
    const tokens = (of: object) => JSON.stringify(of).match(/github\.token|secrets\.\w+/g) ?? [];
    for (const { steps: _, ...job } of Object.values(jobs)) expect(tokens(job)).toEqual([]);
    for (const step of steps) {
      expect({ step, tokens: tokens(step).length }).toEqual({
        step,
        tokens: /\b(gh|docker login|npm publish) /.test(step.run ?? '') ? 1 : 0,
      });
    }
  });

  it('publishes the packages with provenance', () => {
    const published = steps.flatMap(({ run = '' }) => run.match(/npm publish.*/g) ?? []);
    expect(published).toEqual([expect.stringContaining('--provenance')]);
  });
});

describe('a container image', () => {
  it('is built from packages that are installed as locked, without scripts', () => {
    const installs = read('Dockerfile').match(/\bnpm (ci|i|install|add)(?= ).*/g) ?? [];
    expect(installs.length).toBeGreaterThan(0);
    for (const line of installs) expect(line).toMatch(/^npm ci .*--ignore-scripts/);
  });

  it.each(['Dockerfile', 'docker/proxy/Dockerfile', 'docker/ldap/Dockerfile'])('of %s is based on a digest', (file) => {
    const bases = [...read(file).matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, image = '']) => image);
    expect(bases).not.toEqual([]);
    for (const base of bases) expect(base).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  it('is released with an SBOM and full provenance', () => {
    expect(read('docker-bake.hcl')).toMatch(/attest\s+= \["type=sbom", "type=provenance,mode=max"\]/);
  });
});
