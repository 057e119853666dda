import type { SourceRecord } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CheckpointExpired, type Connector, type Cursor, type Page, SourceError } from '../src/connector.js';
import type { HttpLimits } from '../src/http/http-limits.js';
import { type Asked, type Reply, testServer } from './http-server.js';

/** What the tests change in a directory. */
export interface Entry {
  id: string;
  name: string;
  enabled: boolean;
}

/** A directory in memory that answers in the shape of a real API. */
export interface ApiFixture {
  origin: string;
  put(entry: Entry): void;
  remove(id: string): void;
  clear(): void;
  /** A connector as another process would make it, with few and short pauses (`quick`). */
  connector(): Connector;
  /** Items of an answer, unless it is asked for fewer. */
  answerSize(items: number): void;
  /** The genuine answer. */
  answer(asked: Asked): Reply;
  /** Whether the request is for a page of the list, or for a token. */
  isList(asked: Asked): boolean;
  isToken(asked: Asked): boolean;
  /** The items of a genuine answer. */
  items(reply: Reply): unknown[];
  /** The answer with these items, or without a list at all. */
  withItems(reply: Reply, items: unknown[] | undefined): Reply;
  /** An answer without items whose next one is what was asked for, told by a cursor of its own. */
  emptyBefore(asked: Asked, nth: number): Reply;
  /** The answer with another link to the next one; absent where the API has no links but tokens. */
  withNext?(reply: Reply, link: string): Reply;
  /** How the API says that a cursor, or a checkpoint, is too old. */
  expired: Reply;
  /** Ids of records that there are whatever the tests do. */
  always?: readonly string[];
  /** What must stand nowhere. */
  secrets: readonly string[];
  server: Awaited<ReturnType<typeof testServer>>;
}

export interface Traits {
  /** Whether a read of changes tells who is gone; else a full read does. */
  tellsRemoved: boolean;
  /** Whether a refused token is had anew once. */
  renewsToken: boolean;
}

export const quick: Partial<HttpLimits> = { firstPauseMs: 1, longestPauseMs: 2, attempts: 4 };

type Fault = (asked: Asked, answer: () => Reply) => Reply | undefined;

const signal = new AbortController().signal;
const entries = (count: number): Entry[] =>
  Array.from({ length: count }, (_, n) => ({ id: `id${n}`, name: `Name ${n}`, enabled: n % 3 !== 0 }));

/** What every connector of an API has to hold, whatever the API. Awaited at the top of a file, where servers may be made. */
export async function describeConformance(name: string, api: ApiFixture, traits: Traits): Promise<void> {
  const other = await testServer(() => ({ body: {} }));
  describe(`${name}, as every API`, () => {
    function given(list: readonly Entry[], answerSize: number, fault?: Fault): void {
      api.clear();
      for (const entry of list) api.put(entry);
      api.answerSize(answerSize);
      api.server.serve((asked) => fault?.(asked, () => api.answer(asked)) ?? api.answer(asked));
    }
    /** A fault of the nth request for a page of the list, counted from 1. */
    const onList = (nth: number, change: (asked: Asked, answer: Reply) => Reply): Fault => {
      let seen = 0;
      return (asked, answer) => {
        if (!api.isList(asked)) return undefined;
        seen += 1;
        return seen === nth ? change(asked, answer()) : undefined;
      };
    };

    it('gives the same records whatever the size of pages and answers', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat(25),
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 1, max: 12 }),
          async (count, answerSize, pageSize) => {
            given(entries(count), answerSize);
            const { pages } = await read(api.connector(), pageSize);
            expect(pages.every((page) => page.records.length <= pageSize)).toBe(true);
            expect(pages.map((page) => page.last)).toEqual([...pages.slice(1).map(() => false), true]);
            const ids = entries(count).map(({ id }) => id);
            expect([...stateAfter(pages).keys()].sort()).toEqual([...ids, ...(api.always ?? [])].sort());
          },
        ),
        { numRuns: 25 },
      );
    });

    it('goes on from any page, in another process, with the same records', async () => {
      given(entries(11), 4);
      for (const pageSize of [3, 4, 50]) {
        const { pages } = await read(api.connector(), pageSize);
        for (const [index, page] of pages.entries()) {
          const rest = await read(api.connector(), pageSize, { cursor: copy(page.cursor) });
          const whole = [...pages.slice(0, index + 1), ...rest.pages];
          expect(stateAfter(whole)).toEqual(stateAfter(pages));
          expect(rest.pages.at(-1)?.checkpoint).toEqual(pages.at(-1)?.checkpoint);
        }
      }
    });

    it('comes to the same by changes as by reading everything, and by going on in the middle of them', async () => {
      const change = fc.record({
        id: fc.nat(6).map((n) => `id${n}`),
        name: fc.constantFrom('Ann', 'Bob', 'Cyd'),
        enabled: fc.boolean(),
        kind: fc.constantFrom('put', 'put', 'remove'),
      });
      const rounds = fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(rounds, fc.integer({ min: 1, max: 5 }), fc.nat(3), async (history, size, stop) => {
          given(entries(4), size);
          let known = await read(api.connector(), size);
          let state = stateAfter(known.pages);
          for (const round of history) {
            for (const { kind, ...entry } of round) {
              if (kind === 'put') api.put(entry);
              else api.remove(entry.id);
            }
            const since = known.pages.at(-1)?.checkpoint;
            if (!since) return;
            const first = await read(api.connector(), size, { since: copy(since) });
            const left = first.pages[stop];
            const cut = left && !left.last;
            const rest = cut
              ? await read(api.connector(), size, { since: copy(since), cursor: copy(left.cursor) })
              : undefined;
            known = rest ?? first;
            state = stateAfter(rest ? [...first.pages.slice(0, stop + 1), ...rest.pages] : first.pages, state);
            const full = stateAfter((await read(api.connector(), size)).pages);
            if (!traits.tellsRemoved) for (const id of state.keys()) if (!full.has(id)) state.delete(id);
            expect(state).toEqual(full);
          }
        }),
        { numRuns: 20 },
      );
    });

    it('takes no notice of what passes', async () => {
      given(entries(9), 3);
      const wanted = stateAfter((await read(api.connector(), 4)).pages);
      const faults: Record<string, (asked: Asked, answer: Reply) => Reply> = {
        'too many requests, without Retry-After': () => ({ status: 429 }),
        'out of order for a moment': () => ({ status: 503, body: 'no' }),
        'cut off': (_, answer) => ({ ...answer, cutAfter: 20 }),
        'cut off, and sent as if whole': (_, answer) => ({ ...answer, body: JSON.stringify(answer.body).slice(0, -7) }),
        'an empty page in the middle': (asked) => api.emptyBefore(asked, 1),
        'a record of the page before': (_, answer) =>
          api.withItems(answer, [...api.items(answer), ...api.items(answer).slice(0, 1)]),
        ...(traits.renewsToken && { 'a token that ended': () => ({ status: 401, body: { error: 'expired' } }) }),
      };
      for (const nth of [1, 2, 3]) {
        for (const [what, fault] of Object.entries(faults)) {
          given(entries(9), 3, onList(nth, fault));
          const { pages } = await read(api.connector(), 4);
          expect({ what, nth, state: stateAfter(pages) }).toEqual({ what, nth, state: wanted });
        }
      }
    });

    it('gives a record once a page, its last word, and again with a later page', async () => {
      given(entries(9), 3);
      const repeated: unknown[] = [];
      given(entries(9), 3, (asked, answer) => {
        if (!api.isList(asked)) return undefined;
        const reply = answer();
        const items = [...repeated.slice(-1), ...api.items(reply)];
        repeated.push(...api.items(reply));
        return api.withItems(reply, items);
      });
      const { pages } = await read(api.connector(), 50);
      for (const { records } of pages) expect(new Set(records.map((one) => one.external_id)).size).toBe(records.length);
      expect(stateAfter(pages).size).toBe(9 + (api.always?.length ?? 0));
    });

    it('fails as a whole, without an end and without a secret, where the source cannot be trusted', async () => {
      given(entries(9), 3);
      const elsewhere = other.origin;
      const faults: Record<string, (asked: Asked, answer: Reply) => Reply> = {
        'a page without its list': (_, answer) => api.withItems(answer, undefined),
        'an answer that is none': () => ({ body: '"maintenance"' }),
        'refused for good': (asked) => ({ status: 403, body: { error: String(asked.headers.authorization) } }),
        'a cursor that is too old': () => api.expired,
        ...(api.withNext && {
          'a link to another origin': (_: Asked, answer: Reply) =>
            api.withNext?.(answer, `${elsewhere}/next`) ?? answer,
        }),
      };
      for (const nth of [1, 2, 3]) {
        for (const [what, fault] of Object.entries(faults)) {
          given(entries(9), 3, onList(nth, fault));
          await fails(what);
        }
      }
      for (const [what, reply] of Object.entries({ 'a 500 that stays': 500, 'a 401 that stays': 401 })) {
        given(entries(9), 3, (asked) => (api.isList(asked) ? { status: reply } : undefined));
        await fails(what);
      }
      given(entries(9), 3, (asked) =>
        api.isToken(asked)
          ? { status: 401, body: { error: 'invalid_client', error_description: asked.body } }
          : undefined,
      );
      if (traits.renewsToken) await fails('no token');
      expect(other.asked).toEqual([]);
    });

    it('does not go in a circle', async () => {
      given(entries(9), 3);
      let first: Reply | undefined;
      given(entries(9), 3, (asked, answer) => {
        if (!api.isList(asked)) return undefined;
        first ??= answer();
        return first;
      });
      await fails('a circle');
      let nth = 0;
      given([], 3, (asked) => (api.isList(asked) ? api.emptyBefore(asked, ++nth % 7) : undefined));
      await fails('a circle of empty pages');
    });

    it('asks for everything where a checkpoint is too old', async () => {
      given(entries(5), 2);
      const since = (await read(api.connector(), 2)).pages.at(-1)?.checkpoint;
      if (!since || !traits.tellsRemoved) return;
      given(entries(5), 2, (asked) => (api.isList(asked) ? api.expired : undefined));
      await expect(read(api.connector(), 2, { since })).rejects.toBeInstanceOf(CheckpointExpired);
    });

    it('ends at once where the signal does', async () => {
      given(entries(9), 3);
      const reason = new Error('cancelled');
      const controller = new AbortController();
      given(
        entries(9),
        3,
        onList(2, () => {
          setImmediate(() => controller.abort(reason));
          return { silent: true };
        }),
      );
      await expect(read(api.connector(), 3, { signal: controller.signal })).rejects.toBe(reason);
    });

    it('writes no secret into a cursor or a checkpoint', async () => {
      given(entries(9), 3);
      const { pages } = await read(api.connector(), 2);
      const written = JSON.stringify(pages.map(({ cursor, checkpoint }) => [cursor, checkpoint]));
      for (const secret of api.secrets) expect(written).not.toContain(secret);
    });

    it('tells what there is to map', async () => {
      given(entries(3), 3);
      const fields = await api.connector().discover?.(signal);
      expect(fields?.length).toBeGreaterThan(2);
      for (const secret of api.secrets) expect(JSON.stringify(fields)).not.toContain(secret);
    });

    async function fails(what: string): Promise<void> {
      const pages: Page[] = [];
      const error = await read(api.connector(), 4, {}, pages).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect({ what, error }).toEqual({ what, error: expect.any(SourceError) });
      expect(pages.some((page) => page.last)).toBe(false);
      for (const secret of api.secrets) expect((error as Error).message).not.toContain(secret);
    }
  });
}

/** Reads to the end. Pages are pushed to `pages` as they come. */
export async function read(
  connector: Connector,
  pageSize: number,
  options: { since?: Cursor; cursor?: Cursor; signal?: AbortSignal } = {},
  pages: Page[] = [],
): Promise<{ pages: Page[]; records: SourceRecord[] }> {
  for await (const page of connector.read({ pageSize, signal, ...options })) pages.push(page);
  return { pages, records: pages.flatMap((page) => page.records) };
}

/** What is known of each record after these pages. */
export function stateAfter(pages: readonly Page[], before: ReadonlyMap<string, SourceRecord> = new Map()) {
  const state = new Map(before);
  for (const { records, removed = [] } of pages) {
    for (const id of removed) state.delete(id);
    for (const record of records) state.set(record.external_id, record);
  }
  return state;
}

function copy(cursor: Cursor): Cursor {
  return JSON.parse(JSON.stringify(cursor));
}
