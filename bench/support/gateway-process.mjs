// One gateway as a separate process that can be stopped and restarted at the same address.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../libs/testing/dist/index.js';

const own = join(fileURLToPath(new URL('../..', import.meta.url)), 'bundle/gateway.js');
const upWithinMs = 60_000;

export class GatewayProcess {
  static async create(env, program = own) {
    return new GatewayProcess(env, await freePort(), await freePort(), program);
  }

  constructor(env, port, internalPort, program = own) {
    Object.assign(this, {
      program,
      port,
      internalPort,
      url: `http://127.0.0.1:${port}`,
      internalUrl: `http://127.0.0.1:${internalPort}`,
    });
    this.readyUrl = `${this.internalUrl}/readyz`;
    this.env = {
      PATH: process.env.PATH,
      LOG_LEVEL: 'error',
      ...env,
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
    };
  }

  start() {
    this.child = spawn(process.execPath, [this.program], { stdio: ['ignore', 2, 'inherit'], env: this.env });
  }

  /** Stops the process; resolves with its exit code and duration. */
  async end(signal) {
    const began = performance.now();
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = await exit;
    return { code, seconds: (performance.now() - began) / 1_000 };
  }

  /** Waits until it has answered `requests` client requests since its start, which shows that the balancer uses it. */
  async serves(requests) {
    for (const end = Date.now() + upWithinMs; Date.now() < end; await pause(100)) {
      if ((await this.answered()) >= requests) return;
      if (this.child.exitCode !== null) throw new Error(`a gateway stopped unexpectedly with ${this.child.exitCode}`);
    }
    throw new Error(`a gateway got no requests within ${upWithinMs / 1_000} s`);
  }

  async isReady() {
    for (const end = Date.now() + upWithinMs; Date.now() < end; await pause(100)) {
      const answer = await fetch(this.readyUrl).catch(() => undefined);
      if (answer?.ok) return;
    }
    throw new Error(`a gateway was not ready within ${upWithinMs / 1_000} s`);
  }

  async answered() {
    const text = await fetch(`${this.internalUrl}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    const counts = text.matchAll(/^\w*http_request_duration_seconds_count\{[^}]*route="\/v1\/[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  kill() {
    this.child?.kill('SIGKILL');
  }
}
