import { describe, expect, it } from '@jest/globals';
import type { Server } from './postgres-server.js';
import { PostgresLostError, supervise } from './supervise.js';

/** A fake server; `crash` ends it as a kill does. */
function fakeServer(): Server & { crash(lastOutput: string): void; stopped: boolean } {
  let exit: (lastOutput: string) => void = () => undefined;
  const exited = new Promise<string>((resolve) => {
    exit = resolve;
  });
  const server = {
    exited,
    stopped: false,
    crash: exit,
    async stop() {
      server.stopped = true;
      exit('');
    },
  };
  return server;
}

describe('supervision of the embedded PostgreSQL', () => {
  it('restarts a server that stops unexpectedly, and reports its last log lines', async () => {
    const [first, second] = [fakeServer(), fakeServer()];
    const servers = [first, second];
    const reports: string[] = [];
    let startedAgain: () => void = () => undefined;
    const again = new Promise<void>((resolve) => {
      startedAgain = resolve;
    });
    const supervised = await supervise({
      start: async () => {
        const server = servers.shift() as Server;
        if (servers.length === 0) startedAgain();
        return server;
      },
      onStopped: (lastOutput) => reports.push(lastOutput),
      delaysMs: [0, 0],
    });
    first.crash('PANIC: no space left');
    await again;
    expect(reports).toEqual(['PANIC: no space left']);
    await supervised.stop();
    expect(second.stopped).toBe(true);
  });

  it('gives up after the last attempt with its reason', async () => {
    const first = fakeServer();
    let starts = 0;
    const supervised = await supervise({
      start: async () => {
        starts += 1;
        if (starts === 1) return first;
        throw new Error(`attempt ${starts - 1} failed`);
      },
      delaysMs: [0, 0, 0],
    });
    first.crash('killed');
    const error = await supervised.lost;
    expect(error).toBeInstanceOf(PostgresLostError);
    expect(error.message).toBe(
      'the embedded PostgreSQL stopped, and 3 attempts to start it again failed: attempt 3 failed',
    );
    await supervised.stop();
  });

  it('gives up on a server that stops soon after each restart', async () => {
    const started: ReturnType<typeof fakeServer>[] = [];
    const supervised = await supervise({
      start: async () => {
        const server = fakeServer();
        if (started.length > 0) server.crash('PANIC');
        started.push(server);
        return server;
      },
      delaysMs: [0, 0],
    });
    started[0]?.crash('PANIC');
    expect((await supervised.lost).message).toContain('2 attempts to start it again failed: PANIC');
    expect(started).toHaveLength(3);
  });

  it('restarts nothing after it was stopped, even while it waits for the next attempt', async () => {
    const first = fakeServer();
    let starts = 0;
    const supervised = await supervise({
      start: async () => {
        starts += 1;
        return first;
      },
      delaysMs: [3_600_000],
    });
    first.crash('killed');
    await supervised.stop();
    expect(starts).toBe(1);
  });
});
