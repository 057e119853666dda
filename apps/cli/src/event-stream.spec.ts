import { expect, it, jest } from '@jest/globals';
import { openEventStream } from './event-stream.js';
import type { Session } from './session.js';

it('a stream reports an outage once, and ends if the service answers with errors only for too long', async () => {
  let now = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => {
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
  const outages: string[] = [];
  const options = { after: 0, longestOutageMs: 1_500, onOutage: (message: string) => void outages.push(message) };
  const { signal } = new AbortController();
  const stream = await openEventStream({ tenantClient } as object as Session, { ...options, signal });
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('the service failed');
  expect(outages).toEqual(['the service failed']);
});
