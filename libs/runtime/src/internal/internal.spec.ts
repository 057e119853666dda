import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type HealthCheck, type InternalPort, openInternalPort, ReadinessProbe } from './internal-port.js';
import { waitForDrain } from './start-observed.js';

describe('the internal port of a service', () => {
  const up: HealthCheck = { name: 'database', run: () => 'up' };

  let port: InternalPort | undefined;

  afterEach(async () => {
    await port?.close();
    port = undefined;
  });

  async function open(checks: readonly HealthCheck[] | undefined, stopping = new AbortController().signal) {
    port = await openInternalPort({ host: '127.0.0.1', port: 0, checks: () => checks, stopping });
    return async (path: string, method = 'GET') => {
      const answer = await fetch(`${port?.url}${path}`, { method });
      return { status: answer.status, text: await answer.text() };
    };
  }

  describe('the internal port', () => {
    it('reports a process with failing checks as alive and not ready', async () => {
      const failing: HealthCheck = { name: 'database', run: () => Promise.reject(new Error('away')) };
      const get = await open([failing, { name: 'bus', run: () => 'up' }]);
      expect(await get('/livez')).toEqual({ status: 200, text: '{"status":"alive"}' });
      const { status, text } = await get('/readyz');
      expect(status).toBe(503);
      expect(JSON.parse(text)).toEqual({ status: 'unready', checks: { database: 'down', bus: 'up' } });
    });

    it('reports degraded if an optional dependency is missing', async () => {
      const get = await open([up, { name: 'bus', run: () => 'degraded' }]);
      const { status, text } = await get('/readyz');
      expect(status).toBe(200);
      expect(JSON.parse(text)).toEqual({ status: 'degraded', checks: { database: 'up', bus: 'degraded' } });
    });

    it('reports alive and not ready while the service starts', async () => {
      const get = await open(undefined);
      expect((await get('/livez')).status).toBe(200);
      expect((await get('/readyz')).status).toBe(503);
    });

    it('reports not ready from the start of the shutdown', async () => {
      const stopping = new AbortController();
      const get = await open([up], stopping.signal);
      expect((await get('/readyz')).status).toBe(200);
      stopping.abort();
      const { status, text } = await get('/readyz');
      expect(status).toBe(503);
      expect(JSON.parse(text)).toEqual({ status: 'unready', checks: { draining: 'down' } });
      await port?.unreadyReported;
    });

    it('rejects other paths and methods', async () => {
      const get = await open([up]);
      expect((await get('/')).status).toBe(404);
      expect((await get('/livez', 'POST')).status).toBe(405);
    });

    it('takes a free port if the default one is in use, but fails if a configured port is in use', async () => {
      const stopping = new AbortController().signal;
      const where = { host: '127.0.0.1', checks: () => [], stopping };
      const both = [
        await openInternalPort({ ...where, port: undefined }),
        await openInternalPort({ ...where, port: undefined }),
      ];
      const [first = '', second = ''] = both.map(({ url }) => url);
      expect(first).not.toBe(second);
      await expect(openInternalPort({ ...where, port: Number(new URL(first).port) })).rejects.toThrow('INTERNAL_PORT');
      for (const each of both) await each.close();
    });
  });

  describe('a hanging health check', () => {
    it('is down after its timeout and is not started again while it hangs', async () => {
      let begun = 0;
      const hanging: HealthCheck = {
        name: 'database',
        run: () => {
          begun += 1;
          return new Promise(() => {});
        },
      };
      const probe = new ReadinessProbe(20);
      for (let look = 0; look < 3; look += 1) {
        expect(await probe.judge([hanging])).toEqual({ status: 'unready', checks: { database: 'down' } });
      }
      expect(begun).toBe(1);
    });
  });
});

describe('a process that shuts down', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  /** Returns after how many milliseconds it stops serving if the first probe comes after `probedAt`. */
  async function serves(delayMs: number, probedAt: number): Promise<number> {
    const began = Date.now();
    const unreadyReported = new Promise<void>((resolve) => setTimeout(resolve, probedAt));
    const ended = waitForDrain(delayMs, unreadyReported, 10_000).then(() => Date.now() - began);
    await jest.advanceTimersByTimeAsync(60_000);
    return ended;
  }

  it('keeps serving for its drain delay after the first readiness probe it answered', async () => {
    expect(await serves(3_000, 0)).toBe(3_000);
    expect(await serves(3_000, 4_000)).toBe(7_000);
  });

  it('waits for a probe at most ten seconds, or its drain delay if that is longer', async () => {
    expect(await serves(3_000, 9_000)).toBe(10_000);
    expect(await serves(3_000, 50_000)).toBe(10_000);
    expect(await serves(20_000, 50_000)).toBe(20_000);
  });

  it('stops immediately without a drain delay', async () => {
    expect(await serves(0, 50_000)).toBe(0);
  });
});
