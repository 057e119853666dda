import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CliError, UnreachableError } from './cli-error.js';
import { JobChanges } from './commands/watch.js';
import { explained, openEventStream } from './event-stream.js';
import { watch } from './follow.js';
import type { Session } from './session.js';

const running = { status: 'running' };
const show = () => undefined;
const never = () => false;

describe('watching', () => {
  it('waits longer from read to read, until the resource is settled', async () => {
    const times: number[] = [];
    const read = async () => times.push(performance.now());
    expect(await watch(read, show, (reads) => reads === 3, { timeoutMs: 60_000, outageMs: 0 })).toBe(3);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(90);
    expect(third - second).toBeGreaterThan(140);
  });

  it('stops after its timeout', async () => {
    const watching = watch(async () => running, show, never, { timeoutMs: 0, outageMs: 0 });
    await expect(watching).rejects.toThrow('what was requested continues');
  });

  it('stops when the service stays unreachable longer than the outage limit', async () => {
    const read = async (): Promise<typeof running> => {
      throw new UnreachableError('cannot reach it');
    };
    const watching = watch(read, show, never, { timeoutMs: 60_000, outageMs: 150 });
    await expect(watching).rejects.toThrow('cannot reach it');
  });

  it('does not retry after a response of not found', async () => {
    let reads = 0;
    const read = async (): Promise<typeof running> => {
      reads += 1;
      throw new CliError('not found');
    };
    await expect(watch(read, show, never, { timeoutMs: 60_000, outageMs: 60_000 })).rejects.toThrow('not found');
    expect(reads).toBe(1);
  });
});

const job = (job_id: string, status: 'running' | 'completed' | 'quarantined', progress_pct = 0) => ({
  job_id,
  status,
  progress_pct,
});
const ids = (jobs: { job_id: string }[]) => jobs.map(({ job_id }) => job_id);

describe('the changes of jobs', () => {
  it('begin with the jobs that have not ended, oldest first', () => {
    const jobs = [job('c', 'running'), job('b', 'completed'), job('a', 'quarantined')];
    expect(ids(new JobChanges().of(jobs))).toEqual(['a', 'c']);
  });

  it('are new jobs, other statuses and progress', () => {
    const changes = new JobChanges();
    changes.of([job('b', 'running', 10), job('a', 'completed')]);
    expect(changes.of([job('b', 'running', 10), job('a', 'completed')])).toEqual([]);
    expect(ids(changes.of([job('c', 'completed'), job('b', 'running', 20), job('a', 'completed')]))).toEqual([
      'b',
      'c',
    ]);
    expect(ids(changes.of([job('c', 'completed'), job('b', 'completed', 100)]))).toEqual(['b']);
  });
});

describe('following events', () => {
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
    [
      { status: 401, message: 'unknown key' },
      'CliError',
      'unknown key; check --api-key, IDSYNC_API_KEY or the context',
    ],
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
});
