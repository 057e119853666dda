import { describe, expect, it, jest } from '@jest/globals';
import { type Connector, type Page, type ReadOptions, SourceError } from './connector.js';
import { type Outage, type OutageControl, readThroughOutages } from './read-through-outages.js';

const settings = { outageMs: 60_000, firstPauseMs: 1, longestPauseMs: 4, pageTimeoutMs: 60_000 };
const away = () => new SourceError('the source closed the connection', { transient: true });

/** Five pages of one record each. Calls `before` with the number of each requested page. */
function source(before: (page: number) => void): Pick<Connector, 'read'> & { begun: number } {
  const connector = {
    begun: 0,
    async *read({ cursor, signal }: ReadOptions): AsyncGenerator<Page> {
      connector.begun += 1;
      for (let page = Number(cursor?.page ?? 0); page < 5; page += 1) {
        signal.throwIfAborted();
        before(page);
        const records = [{ external_id: `r${page}`, fields: {} }];
        yield { records, errors: [], cursor: { page: page + 1 }, last: page === 4 };
      }
    },
  };
  return connector;
}

async function idsOf(
  connector: Pick<Connector, 'read'>,
  { signal = new AbortController().signal, change = {}, control = {} as OutageControl } = {},
): Promise<string[]> {
  const ids: string[] = [];
  const pages = readThroughOutages(connector, { pageSize: 1, signal }, { ...settings, ...change }, control);
  for await (const { records } of pages) ids.push(...records.map(({ external_id }) => external_id));
  return ids;
}

const allIds = ['r0', 'r1', 'r2', 'r3', 'r4'];

describe('reading through outages', () => {
  it('continues after the last page of each failure and returns every record once', async () => {
    const failures = new Map<number, number>();
    const connector = source((page) => {
      const failed = failures.get(page) ?? 0;
      failures.set(page, failed + 1);
      if (failed < 3) throw away();
    });
    await expect(idsOf(connector)).resolves.toEqual(allIds);
    expect(connector.begun).toBe(1 + 5 * 3);
  });

  it('does not retry permanent failures such as a wrong configuration or login', async () => {
    for (const error of [new SourceError('bind_dn was refused'), new Error('a mistake of ours')]) {
      const connector = source((page) => {
        if (page === 2) throw error;
      });
      await expect(idsOf(connector)).rejects.toBe(error);
      expect(connector.begun).toBe(1);
    }
  });

  it('fails with the error of the source when the outage exceeds its limit', async () => {
    const error = away();
    const noticed: Outage[] = [];
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const connector = source((page) => {
      now += 15;
      if (page === 1) throw error;
    });
    const control = { notice: (outage: Outage) => void noticed.push(outage) };
    try {
      await expect(idsOf(connector, { change: { outageMs: 40 }, control })).rejects.toBe(error);
    } finally {
      clock.mockRestore();
    }
    // Failures 0, 15 and 30 ms after the first are retried, the one after 45 ms is not.
    expect(noticed.map(({ failures }) => failures)).toEqual([1, 2, 3]);
    expect(connector.begun).toBe(4);
  });

  it('does not retry if the outage limit is 0', async () => {
    const connector = source(() => {
      throw away();
    });
    await expect(idsOf(connector, { change: { outageMs: 0 } })).rejects.toThrow('closed the connection');
    expect(connector.begun).toBe(1);
  });

  it('doubles its randomized pauses up to the longest', async () => {
    const pauses: number[] = [];
    let failures = 0;
    const connector = source(() => {
      failures += 1;
      if (failures < 6) throw away();
    });
    await idsOf(connector, { control: { notice: ({ pauseMs }) => void pauses.push(pauseMs) } });
    for (const [index, most] of [1, 2, 4, 4, 4].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(most / 2);
      expect(pauses[index]).toBeLessThanOrEqual(most);
    }
  });

  it.each(['the read signal', 'the giveUp signal'] as const)(
    'ends a pause immediately when %s is aborted',
    async (what) => {
      const [cancel, giveUp] = [new AbortController(), new AbortController()];
      const reason = new Error('enough');
      const connector = source((page) => {
        if (page === 1) throw away();
      });
      const stop = () => (what === 'the read signal' ? cancel : giveUp).abort(reason);
      const control = { giveUp: giveUp.signal, notice: () => void setImmediate(stop) };
      const change = { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000, outageMs: 7_200_000 };
      await expect(idsOf(connector, { signal: cancel.signal, change, control })).rejects.toBe(reason);
      expect(connector.begun).toBe(1);
    },
  );

  it('fails when a page times out or the pages end without the last one', async () => {
    const silent = { read: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }) };
    await expect(idsOf(silent, { change: { pageTimeoutMs: 10 } })).rejects.toThrow(
      'the source did not respond for 0.01 s',
    );
    const ending = { read: async function* () {} };
    await expect(idsOf(ending)).rejects.toThrow('the source stopped before the end of its data');
  });
});
