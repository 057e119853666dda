// One Compose project for a test, with different ports, subnets, volumes and secrets than a developer's.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const minute = 60_000;

export class Stack {
  static async create() {
    const folder = await mkdtemp(join(tmpdir(), 'idsync-compose-'));
    // The services' user must be able to read the sources in it.
    await chmod(folder, 0o755);
    const envFile = join(folder, 'env');
    await run(join(root, 'docker/make-env'), [envFile]);
    const ports = await freePorts(4);
    const secrets = Object.fromEntries(
      (await readFile(envFile, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    return new Stack({ folder, envFile, secrets, ports });
  }

  constructor({ folder, envFile, secrets, ports: [port, recorderPort, prometheusPort, grafanaPort] }) {
    this.folder = folder;
    this.secrets = secrets;
    this.url = `http://127.0.0.1:${port}`;
    this.recorderUrl = `http://127.0.0.1:${recorderPort}`;
    this.prometheusUrl = `http://127.0.0.1:${prometheusPort}`;
    this.grafanaUrl = `http://127.0.0.1:${grafanaPort}`;
    this.project = `idsync-test-${randomBytes(3).toString('hex')}`;
    this.words = ['compose', '--progress', 'quiet', '-p', this.project, '--env-file', envFile];
    this.words.push('-f', join(root, 'docker-compose.yml'), '-f', join(root, 'test/compose/recorder.yml'));
    this.words.push('--profile', 'sources');
    // Excludes a developer's environment, which takes precedence over the file in Compose.
    this.env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DOCKER_HOST: process.env.DOCKER_HOST,
      IDSYNC_TAG: 'test',
      GATEWAY_PORT: String(port),
      RECORDER_PORT: String(recorderPort),
      PROMETHEUS_PORT: String(prometheusPort),
      GRAFANA_PORT: String(grafanaPort),
      SOURCES_DIR: folder,
      SOURCES_SUBNET: '172.16.215.0/24',
      RECEIVERS_SUBNET: '172.16.216.0/24',
      LOG_LEVEL: 'info',
    };
  }

  /** Runs `docker compose …` and returns its output. */
  async compose(...words) {
    return this.docker(...this.words, ...words);
  }

  async docker(...words) {
    const options = { cwd: root, env: this.env, timeout: 20 * minute, maxBuffer: 64 * 1024 * 1024 };
    return (await run('docker', words, options)).stdout.trim();
  }

  async build() {
    // Built one after another, images share their common layers.
    await this.compose('build', 'gateway');
    await this.compose('--profile', 'cli', 'build');
  }

  /** Starts the stack and waits until it is up; `scale` is the number of replicas per service. */
  async up(scale = {}) {
    const sizes = Object.entries(scale).flatMap(([service, count]) => ['--scale', `${service}=${count}`]);
    await this.compose('up', '-d', '--no-build', '--wait', '--wait-timeout', '180', ...sizes);
  }

  /** Starts a service of a profile and waits until it is healthy. */
  async start(...services) {
    await this.compose('up', '-d', '--no-build', '--no-deps', '--wait', '--wait-timeout', '180', ...services);
  }

  /** Returns whether the image of a service is available or can be pulled. */
  async hasImage(service) {
    const { image } = JSON.parse(await this.compose('config', '--format', 'json', service)).services[service];
    const had = this.docker('image', 'inspect', image).catch(() => this.docker('pull', '-q', image));
    return had.then(
      () => true,
      () => false,
    );
  }

  /** Sends SIGKILL to all processes of one container except its init. Its restart policy restarts it. */
  async kill(service, index = 1) {
    const user = { postgres: 'postgres', rabbitmq: 'rabbitmq', proxy: 'haproxy' }[service] ?? '10001';
    const container = `${this.project}-${service}-${index}`;
    // If the container stops first, the command fails.
    await this.docker('exec', '-u', user, container, 'sh', '-c', 'kill -9 -1').catch(() => undefined);
  }

  async inside(service, ...words) {
    return this.compose('exec', '-T', service, ...words);
  }

  async sql(statement) {
    return this.inside('postgres', 'psql', '-U', 'postgres', '-d', 'idsync', '-Atc', statement);
  }

  /** Number of unfinished deliveries; -1 if the database does not answer. */
  async pending() {
    const count = this.sql("select count(*) from webhook_deliveries where status = 'pending'");
    return Number(await count.catch(() => -1));
  }

  /** Returns Docker's information on each container of the services. */
  async containers(...services) {
    const ids = (await this.compose('ps', '-a', '-q', ...services)).split('\n').filter(Boolean);
    return JSON.parse(await this.docker('inspect', ...ids));
  }

  /** Returns the health of each container of the services: `healthy`, `unhealthy` or `starting`. */
  async health(...services) {
    return (await this.containers(...services)).map(({ State }) => State.Running && State.Health?.Status);
  }

  async remove() {
    await this.compose('--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '5');
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function freePorts(count) {
  const probes = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve) =>
          createServer().listen(0, '127.0.0.1', function () {
            resolve(this);
          }),
        ),
    ),
  );
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
