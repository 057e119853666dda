import type { SourceRecord } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Connector, type Cursor, type Page, SourceError } from '../src/connector.js';
import type { HttpLimits } from '../src/http/http-limits.js';
import type { Asked, Handler, Reply, testServer } from './http-server.js';

/** A service that a connector reads, and what it is to make of it. */
export interface ApiUnderTest {
  /** Answers as the service does; gives at least three pages of three records. */
  api: Handler;
  connector(limits: Partial<HttpLimits>): Connector;
  /** The external ids of all records. */
  expected: readonly string[];
  /** Which list a request is for, where its answer is part of what proves the enumeration complete. */
  listOf(asked: Asked): string | undefined;
  /** The same answer without its list. */
  withoutList(reply: Reply): Reply;
  /** An answer of the middle that says nothing of anybody and ends the list; absent where the service's form cannot tell. */
  emptied?(reply: Reply): Reply;
  /** What must stand in no message and no cursor. */
  secrets: readonly string[];
  /** True if a refused credential can be had anew. */
  renews?: boolean;
}

export const quickLimits: Partial<HttpLimits> = { firstPauseMs: 1, longestPauseMs: 2, attempts: 3 };
const pageSizes = [1, 2, 3, 7, 1_000];

interface Read {
  pages: Page[];
  error?: unknown;
}

export async function readPages(connector: Connector, pageSize: number, cursor?: Cursor): Promise<Read> {
  const pages: Page[] = [];
  const signal = new AbortController().signal;
  try {
    // Through JSON, as another process gets it.
    const left = cursor && (JSON.parse(JSON.stringify(cursor)) as Cursor);
    for await (const page of connector.read({ pageSize, signal, ...(left && { cursor: left }) })) pages.push(page);
    return { pages };
  } catch (error) {
    return { pages, error };
  }
}

/** What a directory would have of it: the last word on each record. */
export function lastWords(pages: readonly Page[]): Record<string, SourceRecord['fields']> {
  const all = pages.flatMap(({ records }) => records).map((record) => [record.external_id, record.fields] as const);
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What every connector of an API keeps, whatever the service does. */
export function conforms(server: Awaited<ReturnType<typeof testServer>>, make: () => ApiUnderTest): void {
  const start = () => {
    const under = make();
    server.serve(under.api);
    return under;
  };
  const read = (under: ApiUnderTest, pageSize = 3, cursor?: Cursor) =>
    readPages(under.connector(quickLimits), pageSize, cursor);
  const whole = async (under: ApiUnderTest) => {
    server.serve(under.api);
    const { pages, error } = await read(under);
    expect(error).toBeUndefined();
    return {
      words: lastWords(pages),
      requests: server.asked.length,
      lists: server.asked.filter((asked) => under.listOf(asked) !== undefined).length,
    };
  };
  const expectFailure = (under: ApiUnderTest, { pages, error }: Read) => {
    expect(error).toBeInstanceOf(SourceError);
    expect(pages.some(({ last }) => last)).toBe(false);
    expectNoSecret(under, (error as Error).message);
    expectNoSecret(under, JSON.stringify(pages.map(({ cursor }) => cursor)));
  };
  const expectNoSecret = (under: ApiUnderTest, text: string) => {
    for (const secret of under.secrets) expect(text).not.toContain(secret);
  };

  describe('an API that is read', () => {
    it.each(pageSizes)('gives the same records by pages of %d', async (pageSize) => {
      const under = start();
      const { pages, error } = await read(under, pageSize);
      expect(error).toBeUndefined();
      expect(pages.flatMap(({ errors }) => errors)).toEqual([]);
      expect(Object.keys(lastWords(pages))).toEqual([...under.expected].sort());
      expect(pages.flatMap(({ records }) => records)).toHaveLength(under.expected.length);
      expect(Math.max(...pages.map(({ records }) => records.length))).toBeLessThanOrEqual(pageSize);
      expect(pages.map(({ last }) => last)).toEqual(pages.map((page) => page === pages.at(-1)));
      const fractions = pages.map(({ fraction = 0 }) => fraction);
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
      expect(lastWords(pages)).toEqual((await whole(under)).words);
    });

    it('gives the same records where it is left at any page and taken up elsewhere', async () => {
      const under = start();
      for (const pageSize of [1, 3]) {
        const { pages } = await read(under, pageSize);
        for (const [index, { cursor, last }] of pages.entries()) {
          expectNoSecret(under, JSON.stringify(cursor));
          if (last) continue;
          const rest = await read(under, pageSize, cursor);
          expect(rest.error).toBeUndefined();
          const together = [...pages.slice(0, index + 1), ...rest.pages];
          expect(together.flatMap(({ records }) => records)).toEqual(pages.flatMap(({ records }) => records));
        }
        expect(pages.length).toBeGreaterThan(2);
      }
    });

    it('tells what there is to map', async () => {
      const under = start();
      const fields = await under.connector(quickLimits).discover?.(new AbortController().signal);
      expect(fields?.length).toBeGreaterThan(3);
      expectNoSecret(under, JSON.stringify(fields));
    });
  });

  describe('an API that stumbles', () => {
    const stumbles: [string, (reply: Reply) => Reply][] = [
      ['429 without Retry-After', () => ({ status: 429 })],
      ['503', () => ({ status: 503, body: '<html>' })],
      ['a body that is cut off', (reply) => ({ ...reply, cutAfter: 5 })],
    ];
    it.each(stumbles)('at each request once, by %s, gives the same records', async (_, stumble) => {
      const under = start();
      const { words } = await whole(under);
      const seen = new Set<string>();
      server.serve(async (asked) => {
        const reply = await under.api(asked);
        const key = `${asked.method} ${asked.url} ${asked.body}`;
        if (seen.has(key)) return reply;
        seen.add(key);
        return stumble(reply);
      });
      const { pages, error } = await read(under);
      expect(error).toBeUndefined();
      expect(lastWords(pages)).toEqual(words);
    });

    it.each(stumbles)('for good at any request, by %s, fails and never seems complete', async (_, stumble) => {
      const under = start();
      const { requests } = await whole(under);
      for (let broken = 0; broken < requests; broken += 1) {
        let calls = 0;
        server.serve(async (asked) => {
          const reply = await under.api(asked);
          return calls++ < broken ? reply : stumble(reply);
        });
        expectFailure(under, await read(under));
      }
    });
  });

  describe('an API that lies', () => {
    const lies = (under: ApiUnderTest, lie: (reply: Reply) => Reply, at: number) => {
      let lists = 0;
      server.serve(async (asked) => {
        const reply = await under.api(asked);
        return under.listOf(asked) !== undefined && lists++ === at ? lie(reply) : reply;
      });
    };

    it('with any answer that lacks its list fails', async () => {
      const under = start();
      const { lists } = await whole(under);
      expect(lists).toBeGreaterThan(2);
      for (let at = 0; at < lists; at += 1) {
        lies(under, under.withoutList, at);
        expectFailure(under, await read(under));
      }
    });

    it('with an empty answer in the middle that looks like the end fails', async () => {
      const under = start();
      const { emptied } = under;
      if (!emptied) return process.stdout.write('Skipped: the form of this API tells an end from a gap by nothing\n');
      // The second answer of the first list that has two.
      const known = new Set<string>();
      let lied = false;
      server.serve(async (asked) => {
        const reply = await under.api(asked);
        const list = under.listOf(asked);
        if (list === undefined || lied) return reply;
        lied = known.has(list);
        known.add(list);
        return lied ? emptied(reply) : reply;
      });
      expectFailure(under, await read(under));
    });

    it('with the same answer over and over fails', async () => {
      const under = start();
      const first = new Map<string, Reply>();
      server.serve(async (asked) => {
        const reply = await under.api(asked);
        const list = under.listOf(asked);
        if (list === undefined) return reply;
        if (!first.has(list)) first.set(list, reply);
        return first.get(list) ?? reply;
      });
      expectFailure(under, await read(under, 1));
    });
  });

  describe('an API that knows the caller no more', () => {
    it('at any request fails, after what can be had anew was had once', async () => {
      const under = start();
      const { requests } = await whole(under);
      for (let broken = 0; broken < requests; broken += 1) {
        let calls = 0;
        server.serve((asked) => (calls++ < broken ? under.api(asked) : { status: 401, body: { message: 'who?' } }));
        expectFailure(under, await read(under));
        expect(calls).toBeLessThanOrEqual(broken + 3);
      }
    });

    it('once, is told anew who asks, where that can be', async () => {
      const under = start();
      if (!under.renews) return process.stdout.write('Skipped: the credential of this API is one for ever\n');
      const { words, requests } = await whole(under);
      for (let broken = 1; broken < requests; broken += 1) {
        let calls = 0;
        server.serve((asked) => (calls++ === broken ? { status: 401 } : under.api(asked)));
        const { pages, error } = await read(under);
        expect(error).toBeUndefined();
        expect(lastWords(pages)).toEqual(words);
      }
    });
  });

  describe('a wait for an API', () => {
    it('ends at once with the signal, with its reason', async () => {
      const under = make();
      const reason = new Error('cancelled');
      const controller = new AbortController();
      server.serve(() => {
        setImmediate(() => controller.abort(reason));
        return { silent: true };
      });
      const reading = under.connector({}).read({ pageSize: 3, signal: controller.signal })[Symbol.asyncIterator]();
      await expect(reading.next()).rejects.toBe(reason);
    });
  });
}
