// The four real services as processes, and a client of the operator API.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** On a busy machine, loading the programs takes a while. */
const upWithinMs = 120_000;
const names = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'];

export class FourServices {
  adminToken = randomBytes(24).toString('base64url');
  children = new Map();

  /** `logs` is an open file for their warnings; by default, only errors are printed. */
  static async start(url, sourcesDir, logs) {
    const services = new FourServices(url, sourcesDir, await freePort(), logs);
    try {
      await services.ready();
    } catch (error) {
      await services.stop();
      throw error;
    }
    return services;
  }

  constructor(url, sourcesDir, port, logs) {
    this.base = `http://127.0.0.1:${port}`;
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: url,
      AMQP_URL: process.env.AMQP_URL,
      SOURCES_DIR: sourcesDir,
      SOURCES_BY_TENANT: 'false',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      ADMIN_TOKEN: this.adminToken,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      PORT: String(port),
      LOG_LEVEL: logs ? 'warn' : 'error',
    };
    const stdio = logs ? ['ignore', logs.fd, logs.fd] : 'inherit';
    for (const name of names) {
      const words = [...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []), join(root, 'bundle', `${name}.js`)];
      this.children.set(name, spawn(process.execPath, words, { env, stdio }));
    }
  }

  async ready() {
    for (const end = Date.now() + upWithinMs; Date.now() < end; await pause(50)) {
      const up = await fetch(`${this.base}/v1/health`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (up) return;
    }
    throw new Error(`the gateway did not start within ${upWithinMs / 1_000} s`);
  }

  operator(method, path, body) {
    return this.request(method, `/admin/v1${path}`, { authorization: `Bearer ${this.adminToken}` }, body);
  }

  async request(method, path, headers, body) {
    const answer = await fetch(`${this.base}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /**
   * Runs a sync job to its end. Returns its seconds, and the seconds for each further `step` applied records, which
   * `reachedStep` gets at once.
   */
  async sync(tenant, connector, step, reachedStep) {
    const { job_id } = await this.operator('POST', `/tenants/${tenant}/sync-jobs`, { connector_id: connector });
    const { job, ...times } = await this.jobEnd(tenant, job_id, { step, reachedStep });
    if (job.status !== 'completed')
      throw new Error(`the job ended with status ${job.status}: ${job.error_message ?? job.quarantine_reason}`);
    return times;
  }

  /** Waits until a job has another status than these. Returns the job, and the same as `sync`. */
  async jobEnd(tenant, id, { statuses = ['queued', 'running'], step = Number.POSITIVE_INFINITY, reachedStep } = {}) {
    const began = performance.now();
    const steps = [];
    let reached = began;
    for (;;) {
      const job = await this.operator('GET', `/tenants/${tenant}/sync-jobs/${id}`);
      const now = performance.now();
      if (job.records_applied >= step * (steps.length + 1)) {
        steps.push((now - reached) / 1_000);
        reached = now;
        await reachedStep?.(steps.at(-1), job);
      }
      if (!statuses.includes(job.status)) return { seconds: (now - began) / 1_000, steps, job };
      await pause(100);
    }
  }

  /** Returns the peak memory of each service, in MB (resident, from the kernel). */
  async memory() {
    const rows = [];
    for (const [name, child] of this.children) {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      rows.push([name, Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)]);
    }
    return rows;
  }

  async stop() {
    const running = [...this.children.values()].filter((child) => child.exitCode === null && child.signalCode === null);
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(running.map((child) => once(child, 'exit')));
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
