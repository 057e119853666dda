import { scimConfig } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { readAll } from '../../test/source-fixture.js';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { scimConnector } from './scim-connector.js';

const server = testServer();
const limits = { firstPauseMs: 1, longestPauseMs: 2, attempts: 3 };

/** A service with a list of ids and a maximum page size. */
let ids: string[];
let provider: object;
let perPage: number;
/** Modifies a response of `/Users` by its number, counted from 1. */
let spoil: (answer: Reply, number: number, asked: Asked) => Reply;
let answered: number;

const idsFrom = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);
const read = (pageSize = 4, cursor?: Page['cursor']) => readAll(source(), pageSize, cursor);
const idsOf = (records: readonly { external_id: string }[]) => records.map((record) => record.external_id);

function source(config: object = {}): Connector {
  const whole = scimConfig.parse({ url: server.origin, fields: { display_name: 'displayName' }, ...config });
  return scimConnector('user', whole, { secrets: { token: 't0ken' }, allowedCidrs: loopback, limits });
}

async function readOut(options: Partial<ReadOptions>): Promise<Page[]> {
  const pages: Page[] = [];
  const signal = new AbortController().signal;
  for await (const page of source().read({ pageSize: 4, signal, ...options })) pages.push(page);
  return pages;
}

beforeEach(() => {
  ids = idsFrom(10);
  provider = {};
  perPage = 4;
  answered = 0;
  spoil = (answer) => answer;
  server.serve((asked) => {
    const { pathname, searchParams } = asked.url;
    if (pathname === '/ServiceProviderConfig') return { body: provider };
    if (pathname !== '/Users') return { status: 404 };
    answered += 1;
    const count = Math.min(perPage, Number(searchParams.get('count')));
    const cursor = searchParams.get('cursor');
    const start = cursor === null ? Number(searchParams.get('startIndex')) - 1 : Number(cursor.replace('c', '') || 0);
    const Resources = ids.slice(start, start + count).map((id) => ({ id, displayName: id.toUpperCase() }));
    const next = start + count;
    const nextCursor = cursor !== null && next < ids.length ? { nextCursor: `c${next}` } : {};
    return spoil({ body: { totalResults: ids.length, Resources, ...nextCursor } }, answered, asked);
  });
});

const bodyOf = (reply: Reply) =>
  reply.body as { totalResults: number; Resources: { id: string }[]; nextCursor?: string };

describe.each(['index', 'cursor'])('a SCIM source that pages by %s', (by) => {
  beforeEach(() => {
    if (by === 'cursor') provider = { pagination: { cursor: true } };
  });

  it('is read completely with any page size it chooses', async () => {
    for (const count of [0, 1, 3, 4, 5, 10]) {
      ids = idsFrom(count);
      for (perPage of [1, 2, 3, 100]) {
        for (const pageSize of [1, 3, 50]) expect(idsOf((await read(pageSize)).records)).toEqual(ids);
      }
    }
  });

  it('is read completely in pages if it does not support paging', async () => {
    spoil = (answer) => {
      const { nextCursor, ...body } = bodyOf(answer);
      return { body: { ...body, Resources: ids.map((id) => ({ id })) } };
    };
    const { records, pages } = await read(3);
    expect(idsOf(records)).toEqual(ids);
    expect(Math.max(...pages.map((page) => page.records.length))).toBe(3);
    let seen = 0;
    for (const page of pages) {
      seen += page.records.length;
      expect(idsOf((await read(5, page.cursor)).records)).toEqual(ids.slice(seen));
    }
  });

  it('is resumed after any page', async () => {
    const { pages } = await read(3);
    let seen = 0;
    for (const page of pages) {
      seen += page.records.length;
      const rest = await read(2, JSON.parse(JSON.stringify(page.cursor)));
      expect(idsOf(rest.records)).toEqual(ids.slice(seen));
    }
    await expect(read(3, { offset: 5 })).rejects.toThrow('not a position in a SCIM source');
  });

  it('is retried after a 429 without Retry-After and after a truncated body', async () => {
    spoil = (answer, number) => (number === 2 ? { status: 429 } : number === 4 ? { ...answer, cutAfter: 20 } : answer);
    expect(idsOf((await read()).records)).toEqual(ids);
  });

  it.each<[string, string, (answer: Reply) => Reply]>([
    [
      'cuts every body',
      'the connection closed before the response was complete',
      (answer) => ({ ...answer, cutAfter: 20 }),
    ],
    ['answers half a body', 'is not valid JSON', ({ body }) => ({ body: JSON.stringify(body).slice(0, -9) })],
    ['answers 401', 'answered 401', () => ({ status: 401 })],
    ['answers 500', 'answered 500', () => ({ status: 500 })],
    ['leaves the resources out', 'without a list "Resources"', () => ({ body: { totalResults: 10 } })],
    ['answers something else', 'without a list "Resources"', () => ({ body: [] })],
    ['sends a page of another site', 'is not valid JSON', () => ({ body: '<html>Log in</html>' })],
  ])('fails the read if it %s in the middle', async (_, message, change) => {
    spoil = (answer, number) => (number > 1 ? change(answer) : answer);
    const pages: Page[] = [];
    const reading = (async () => {
      for await (const page of source().read({ pageSize: 4, signal: new AbortController().signal })) pages.push(page);
    })();
    await expect(reading).rejects.toThrow(SourceError);
    await expect(reading).rejects.toThrow(message);
    expect(pages.map((page) => page.last)).toEqual([false]);
    await expect(reading).rejects.not.toThrow('t0ken');
  });

  it.each([[-3], [-1], [1], [3]])('fails the read if its total is wrong by %d', async (wrong) => {
    spoil = (answer) => ({ body: { ...bodyOf(answer), totalResults: ids.length + wrong } });
    await expect(read()).rejects.toThrow(SourceError);
  });

  it('fails the read if a resource is repeated in place of another', async () => {
    spoil = (answer) => {
      const body = bodyOf(answer);
      return { body: { ...body, Resources: body.Resources.map((one) => (one.id === 'id-7' ? { id: 'id-1' } : one)) } };
    };
    await expect(read()).rejects.toThrow(SourceError);
  });

  it('has invalid resources reported and the others returned', async () => {
    spoil = (answer, number) => {
      const body = bodyOf(answer);
      if (number > 1)
        return { body: { ...body, totalResults: 3, Resources: body.Resources.slice(-1), nextCursor: undefined } };
      return { body: { totalResults: 3, Resources: ['text', { displayName: 'nobody' }, { id: 'id-2' }] } };
    };
    ids = idsFrom(3);
    const { records, errors } = await read(3);
    expect(idsOf(records)).toEqual(['id-2']);
    expect(errors).toEqual([
      { line: 1, message: 'id (external_id) is missing' },
      { line: 2, message: 'id (external_id) is missing' },
    ]);
  });

  it('is no longer called after an abort', async () => {
    const controller = new AbortController();
    spoil = (answer, number) => {
      if (number === 1) return answer;
      setImmediate(() => controller.abort(new Error('cancelled')));
      return { silent: true };
    };
    await expect(readOut({ signal: controller.signal })).rejects.toThrow('cancelled');
  });
});

describe('a SCIM list that changes during a read by index', () => {
  /** Before each page: the number of deleted resources already read, and of resources added at the end. */
  const history = fc.array(fc.record({ vanish: fc.nat(2), come: fc.nat(2) }), { minLength: 1, maxLength: 6 });

  it('returns every resource that existed during the whole read', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 2, max: 6 }), async (steps, pageSize) => {
        ids = idsFrom(20);
        perPage = 5;
        answered = 0;
        let created = 0;
        spoil = (answer, number) => {
          const step = steps[number - 1];
          if (step) {
            ids = ids.slice(step.vanish);
            for (let n = 0; n < step.come; n += 1) ids = [...ids, `new-${created++}`];
          }
          return answer;
        };
        const result = await read(pageSize).catch((error: unknown) => error);
        if (result instanceof Error) {
          expect(result).toBeInstanceOf(SourceError);
          return;
        }
        const found = new Set(idsOf((result as Awaited<ReturnType<typeof read>>).records));
        for (const id of ids.filter((id) => id.startsWith('id-'))) expect(found).toContain(id);
      }),
      { numRuns: 60 },
    );
  });

  it('is read despite deletions and additions within the page overlap', async () => {
    ids = idsFrom(40);
    perPage = 20;
    spoil = (answer, number) => {
      if (number === 1) ids = [...ids.slice(3), 'new'];
      return answer;
    };
    const found = idsOf((await read(20)).records);
    expect(found).toEqual([...idsFrom(40), 'new']);
  });

  it('fails the read if it moves by more than the overlap or has no stable order', async () => {
    ids = idsFrom(40);
    perPage = 20;
    spoil = (answer, number) => {
      if (number === 1) ids = ids.slice(15);
      return answer;
    };
    await expect(read(20)).rejects.toThrow('changed too much while it was being read');
    ids = idsFrom(40);
    answered = 0;
    spoil = (answer) => {
      ids = [...ids.slice(7), ...ids.slice(0, 7)];
      return answer;
    };
    await expect(read(20)).rejects.toThrow(SourceError);
  });

  it('cannot be resumed after a change', async () => {
    const { pages } = await read(4);
    ids = ids.slice(1);
    await expect(read(4, pages[1]?.cursor)).rejects.toThrow('changed after the read was interrupted');
  });
});

describe('the cursor paging of a SCIM source', () => {
  beforeEach(() => {
    provider = { pagination: { cursor: true } };
  });

  it('fails for expired cursors, cycles and endless empty pages', async () => {
    spoil = (answer, number) => (number === 2 ? { status: 400, body: { scimType: 'expiredCursor' } } : answer);
    await expect(read()).rejects.toThrow('its cursor has expired, so the list has to be read again');
    spoil = (answer) => ({ body: { ...bodyOf(answer), nextCursor: 'c4' } });
    await expect(read()).rejects.toThrow('returned a page that leads back to an earlier one');
    spoil = () => ({ body: { totalResults: 10, Resources: [], nextCursor: `c${1_000 + answered}` } });
    await expect(read()).rejects.toThrow('returned 101 empty pages in a row');
  });

  it('works without totals', async () => {
    spoil = (answer) => ({ body: { ...bodyOf(answer), totalResults: undefined } });
    expect(idsOf((await read()).records)).toEqual(ids);
  });
});

describe('incremental reads of a SCIM source without filter support', () => {
  it('are not supported', async () => {
    const { pages } = await read();
    expect(pages.at(-1)).toMatchObject({ last: true });
    expect(pages.at(-1)?.checkpoint).toBeUndefined();
    const since = { started: '2026-01-01T00:00:00Z', records: 1, groups: -1 };
    const changes = () => readOut({ since });
    await expect(changes()).rejects.toThrow(CheckpointExpired);
    provider = { filter: { supported: true } };
    spoil = (answer, _, { url }) =>
      url.searchParams.has('filter') ? { status: 400, body: { scimType: 'invalidFilter' } } : answer;
    await expect(changes()).rejects.toThrow(
      new CheckpointExpired('the service does not support filters by modification time'),
    );
  });
});
