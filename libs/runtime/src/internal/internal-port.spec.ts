import { afterEach, describe, expect, it } from '@jest/globals';
import { type InternalPort, openInternalPort } from './internal-port.js';
import { type HealthCheck, ReadinessProbe } from './readiness.js';

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
  it('tells that a process lives whose checks all fail, and that it is not ready', async () => {
    const failing: HealthCheck = { name: 'database', run: () => Promise.reject(new Error('away')) };
    const get = await open([failing, { name: 'bus', run: () => 'up' }]);
    expect(await get('/livez')).toEqual({ status: 200, text: '{"status":"alive"}' });
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({ status: 'unready', checks: { database: 'down', bus: 'up' } });
  });

  it('is ready where something is missing that the service can do without, and says so', async () => {
    const get = await open([up, { name: 'bus', run: () => 'degraded' }]);
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ status: 'degraded', checks: { database: 'up', bus: 'degraded' } });
  });

  it('is alive and not ready while the service starts', async () => {
    const get = await open(undefined);
    expect((await get('/livez')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(503);
  });

  it('is not ready from the moment it was told to end', async () => {
    const stopping = new AbortController();
    const get = await open([up], stopping.signal);
    expect((await get('/readyz')).status).toBe(200);
    stopping.abort();
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({ status: 'unready', checks: { draining: 'down' } });
    await port?.toldEnding;
  });

  it('answers nothing else, and takes nothing', async () => {
    const get = await open([up]);
    expect((await get('/')).status).toBe(404);
    expect((await get('/livez', 'POST')).status).toBe(405);
  });

  it('takes a free port where another process has the customary one, and fails where a port was asked for', async () => {
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

describe('a check that hangs', () => {
  it('is down when its time is over, and is not begun again while it hangs', async () => {
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
