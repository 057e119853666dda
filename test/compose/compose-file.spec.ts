import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { services as ours } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  build?: string | { context: string; target?: string; dockerfile?: string };
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  logging?: { options?: Record<string, string> };
  healthcheck?: { test?: string[] };
  deploy?: { resources?: { limits?: Record<string, string | number> } };
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  volumes?: string[];
  networks?: string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const text = read('docker-compose.yml');
const { services, volumes, networks } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, { internal?: boolean } | null>;
};
const names = Object.keys(services);
const serviceOf = (name: string): Service => services[name] ?? {};
const staysUp = names.filter((name) => serviceOf(name).restart !== 'no');

describe('docker-compose.yml', () => {
  it('has the services of the product and their dependencies', () => {
    expect(names).toEqual(
      expect.arrayContaining([...ours, 'migrate', 'proxy', 'postgres', 'rabbitmq', 'ldap', 'prometheus', 'grafana']),
    );
  });

  it.each(names)('restricts %s: no capabilities, a read-only file system, limits on resources and logs', (name) => {
    const service = serviceOf(name);
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
      deploy: {
        resources: { limits: { cpus: expect.any(String), memory: expect.any(String), pids: expect.any(Number) } },
      },
    });
    if (service.cap_add) expect(['postgres', 'rabbitmq']).toContain(name);
  });

  it.each(staysUp)('has a health check for %s', (name) => {
    const own = serviceOf(name).healthcheck?.test;
    expect(own?.[0] ?? healthcheckOfImage(name)).toMatch(/^(CMD|HEALTHCHECK .* CMD \[)/);
  });

  it('starts the services after the migration, and message consumers after the broker, too', () => {
    const migrated = { migrate: { condition: 'service_completed_successfully' } };
    expect(serviceOf('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(serviceOf('gateway').depends_on).toEqual(migrated);
    for (const name of ours.filter((each) => each !== 'gateway')) {
      expect(serviceOf(name).depends_on).toEqual({ ...migrated, rabbitmq: { condition: 'service_healthy' } });
    }
  });

  it('opens ports only on localhost and none of the services', () => {
    const open = names.filter((name) => serviceOf(name).ports);
    expect(open.sort()).toEqual(['grafana', 'prometheus', 'proxy']);
    for (const name of open) for (const port of serviceOf(name).ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('gives network access only to services that call out or have a port', () => {
    const out = (name: string) => serviceOf(name).networks?.some((network) => !networks[network]?.internal) ?? true;
    expect(names.filter(out).sort()).toEqual(['grafana', 'prometheus', 'proxy', 'sync-worker', 'webhook-dispatcher']);
  });

  it('uses a subnet outside the default address pools of Docker', () => {
    const [, subnet] = /subnet: '\$\{SOURCES_SUBNET:-([\d.]+)\/24\}'/.exec(text) ?? [];
    expect(subnet).toMatch(/^172\.16\./);
  });

  it('mounts only existing files', () => {
    const sources = names.flatMap((name) => serviceOf(name).volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(root, source)) : !source.startsWith('$') && !(source in volumes),
    );
    expect(missing).toEqual([]);
  });

  it('takes secrets that docker/make-env generates, and settings that docs/compose.md documents', () => {
    const folder = mkdtempSync(join(tmpdir(), 'make-env-'));
    try {
      const file = join(folder, '.env');
      const makeEnv = () => expect(spawnSync(join(root, 'docker/make-env'), [file]).status).toBe(0);
      makeEnv();
      const made = readFileSync(file, 'utf8');
      makeEnv();
      expect(readFileSync(file, 'utf8')).toBe(made);
      expect(statSync(file).mode & 0o777).toBe(0o600);

      const secrets = made.split('\n').flatMap((line) => /^(\w+)=.{32,}$/.exec(line)?.[1] ?? []);
      const required = [...text.matchAll(/\$\{(\w+)(?:}|:\?)/g)].map(([, name]) => name);
      expect([...new Set(required)].sort()).toEqual(secrets.sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
    const settings = [...text.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name);
    const documented = [...read('docs/compose.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual([...new Set(settings)].filter((name) => name !== 'IDSYNC_TENANT').sort());
  });

  const docker = spawnSync('docker', ['compose', 'version']).status === 0;
  if (!docker)
    process.stderr.write('docker compose is not installed: the syntax of docker-compose.yml is not tested.\n');
  (docker ? it : it.skip)('is accepted by docker compose', () => {
    const env = { ...process.env, ADMIN_TOKEN: 'x', GRAFANA_PASSWORD: 'x' };
    const { status, stderr } = spawnSync('docker', ['compose', '--profile', '*', 'config', '-q'], { cwd: root, env });
    expect({ status, output: status === 0 ? '' : String(stderr) }).toEqual({ status: 0, output: '' });
  });
});

describe('the observability profile', () => {
  const { scrape_configs: jobs } = parse(read('observability/prometheus.yml'));
  const jobOf = (name: string) => jobs.find((job: { job_name: string }) => job.job_name === name);

  it('scrapes every replica of every service by name at the internal port of the images', () => {
    const [, internalPort] = /INTERNAL_PORT=(\d+)/.exec(read('Dockerfile')) ?? [];
    const [found] = jobOf('idsync').dns_sd_configs;
    expect(found).toMatchObject({ type: 'A', port: Number(internalPort) });
    expect([...found.names].sort()).toEqual([...ours].sort());
  });

  it('scrapes the queues of the broker', () => {
    expect(jobOf('rabbitmq').static_configs).toEqual([{ targets: ['rabbitmq:15692'] }]);
  });

  it('lets Grafana find Prometheus and the dashboard', () => {
    const [source] = parse(read('observability/grafana/provisioning/datasources/prometheus.yml')).datasources;
    expect(source.url).toBe('http://prometheus:9090');
    const shared = serviceOf('grafana').networks?.filter((name) => serviceOf('prometheus').networks?.includes(name));
    expect(shared).toEqual(['edge']);
    const [provider] = parse(read('observability/grafana/provisioning/dashboards/idsync.yml')).providers;
    expect(serviceOf('grafana').volumes).toContain(`./observability/grafana/dashboards:${provider.options.path}:ro`);
  });
});

/** Returns the HEALTHCHECK of a service's image, inherited from a base stage if necessary. */
function healthcheckOfImage(name: string): string | undefined {
  const { build } = serviceOf(name);
  if (typeof build !== 'object') return undefined;
  const stages = read(join(build.context, build.dockerfile ?? 'Dockerfile')).split(/^(?=FROM )/m);
  let stage = build.target ? stages.find((each) => each.includes(` AS ${build.target}\n`)) : stages.at(-1);
  while (stage) {
    const [found] = /^HEALTHCHECK .*$/m.exec(stage) ?? [];
    if (found) return found;
    const [, base] = /^FROM (\S+)/.exec(stage) ?? [];
    stage = stages.find((each) => each.includes(` AS ${base}\n`));
  }
  return undefined;
}
