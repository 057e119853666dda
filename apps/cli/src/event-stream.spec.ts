import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { explained, openEventStream } from './event-stream.js';
import type { Session } from './session.js';

afterEach(() => {
  jest.restoreAllMocks();
});

/** A service that answers every request with an error, a second after the one before. */
function brokenService(): { session: Session; requests: () => number } {
  let now = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const requests = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    now += 1_000;
    return new Response('', { status: 500 });
  });
  const tenantClient = async ({ fetch }: { fetch: typeof globalThis.fetch }) => ({
    events: () => ({
      position: 0,
      async *follow() {
        yield* [];
        const { status } = await fetch('http://service.example');
        throw Object.assign(new Error('the service failed'), { status });
      },
    }),
  });
  return { session: { tenantClient } as object as Session, requests: () => requests.mock.calls.length };
}

describe('a stream of events', () => {
  it('reports an outage once, and ends if the service answers with errors only for too long', async () => {
    const outages: string[] = [];
    const options = {
      after: 0,
      longestOutageMs: 2_500,
      pauseMs: 1,
      onOutage: (message: string) => void outages.push(message),
    };
    const { session, requests } = brokenService();
    const { signal } = new AbortController();
    const stream = await openEventStream(session, { ...options, signal });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('the service failed');
    expect(outages).toEqual(['the service failed']);
    expect(requests()).toBe(3);
  });

  it('waits before it asks again, and ends at once if it is interrupted then', async () => {
    const interrupt = new AbortController();
    const { session, requests } = brokenService();
    const onOutage = () => void setImmediate(() => interrupt.abort());
    const stream = await openEventStream(session, { after: 0, onOutage, signal: interrupt.signal });
    expect(await stream[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    expect(requests()).toBe(1);
  });
});

it.each([
  [{ status: 400, message: 'after must be a number' }, 'BadValueError', 'after must be a number'],
  [{ status: 401, message: 'unknown key' }, 'CliError', 'unknown key; check --api-key, IDSYNC_API_KEY or the context'],
  [{ status: 403, message: 'not allowed' }, 'CliError', 'not allowed'],
  [{ status: 404, message: 'no such webhook' }, 'UsageError', 'no such webhook'],
  [{ status: 429, message: 'too many requests' }, 'UnreachableError', 'too many requests'],
  [{ status: 500, message: 'failed' }, 'UnreachableError', 'failed'],
  [{ name: 'TimeoutError', message: 'late' }, 'UnreachableError', 'no response in time'],
  [{ name: 'AbortError', message: 'stopped' }, 'InterruptedError', 'interrupted'],
])('an error %j of the client is shown as %s', async (values, name, message) => {
  const error = Object.assign(new Error(), values);
  const shown = explained(() => Promise.reject(error));
  await expect(shown).rejects.toMatchObject({ name, message });
});
