import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CsvConfig, csvConfig } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { names, readAll } from '../../test/source-fixture.js';
import { CheckpointExpired, type Connector, type Cursor, type Page, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { csvConnector } from '../csv/csv-connector.js';
import { webFile } from './web-file.js';

const server = testServer();
const rows = (count: number) => Array.from({ length: count }, (_, index) => `${index},name ${index}\n`).join('');
const folder = mkdtempSync(join(tmpdir(), 'idsync-downloads-'));
const filesOfTests = () => readdirSync(folder);

afterAll(() => rmSync(folder, { recursive: true }));

let content: string;
let etag: string | undefined;
/** Modifies a response by its number, counted from 1. */
let spoil: (reply: Reply, number: number, asked: Asked) => Reply;

function connector(config: Partial<CsvConfig> = {}, secrets = { token: 't0ken' }, fileBytes = 10_000_000): Connector {
  const url = `${server.origin}/hr/export.csv?format=csv`;
  const whole = csvConfig.parse({ url, external_id: 'id', fields: { display_name: 'name' }, ...config });
  const limits = { firstPauseMs: 1, longestPauseMs: 2, attempts: 3, fileBytes };
  return csvConnector('user', whole, webFile(whole, { secrets, allowedCidrs: loopback, limits, cacheDir: folder }));
}

/** Resolves when this many bytes were downloaded. */
async function written(bytes: number): Promise<void> {
  const sizes = () => filesOfTests().map((name) => statSync(join(folder, name)).size);
  await until(
    () => sizes().includes(bytes),
    () => `${bytes} bytes, got ${sizes()}`,
  );
}

async function changes(since: Cursor, source = connector()): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const page of source.read({ since, pageSize: 5, signal: new AbortController().signal })) pages.push(page);
  return pages;
}

beforeEach(() => {
  content = `id,name\n${rows(2_000)}`;
  etag = '"v1"';
  spoil = (reply) => reply;
  let number = 0;
  server.serve((asked) => {
    number += 1;
    const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = asked.headers;
    const bytes = Buffer.from(content);
    const headers = { ...(etag && { etag }) };
    if (etag && ifNoneMatch === etag) return spoil({ status: 304, headers }, number, asked);
    const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
    if (from === undefined || (ifRange !== undefined && ifRange !== etag))
      return spoil({ body: bytes, headers }, number, asked);
    const contentRange = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    const rest = bytes.subarray(Number(from));
    return spoil({ status: 206, body: rest, headers: { ...headers, ...contentRange } }, number, asked);
  });
});

describe('a file at a URL', () => {
  it('is read like a file in the sources folder and removed afterwards', async () => {
    const { records, pages } = await readAll(connector({ auth: { type: 'bearer' } }), 300);
    expect(records).toHaveLength(2_000);
    expect(pages.map((page) => page.last)).toEqual([...Array(6).fill(false), true]);
    expect(server.asked.map(({ url, headers }) => [url.pathname + url.search, headers.authorization])).toEqual([
      ['/hr/export.csv?format=csv', 'Bearer t0ken'],
    ]);
    expect(filesOfTests()).toEqual([]);
  });

  it('is requested with basic authentication or a configured header', async () => {
    await readAll(connector({ auth: { type: 'header', name: 'Private-Token' } }));
    expect(server.asked[0]?.headers['private-token']).toBe('t0ken');
    const basic = { type: 'basic', user: 'ann' } as const;
    await expect(readAll(connector({ auth: basic }))).rejects.toThrow('the secret "password" is missing');
  });

  it('can be LDIF or JSON lines', async () => {
    const common = { records: 'user', sourcesDir: '/nowhere', allowedCidrs: loopback } as const;
    content = 'dn: cn=ann\ncn: Ann\nobjectClass: person\n\n';
    const ldif = { url: `${server.origin}/a.ldif`, external_id: 'dn', fields: { display_name: 'cn' } };
    expect(names((await readAll(createConnector({ type: 'ldif', config: ldif, ...common }))).records)).toEqual([
      ['cn=ann', 'Ann'],
    ]);
    content = '{"id":1,"name":"Ann"}\n';
    const jsonl = { url: `${server.origin}/a.jsonl`, external_id: 'id', fields: { display_name: 'name' } };
    expect(names((await readAll(createConnector({ type: 'jsonl', config: jsonl, ...common }))).records)).toEqual([
      ['1', 'Ann'],
    ]);
  });

  it('requires exactly one of path and url, and a url without credentials', () => {
    const create = (place: object) => () =>
      createConnector({
        type: 'csv',
        records: 'user',
        config: { external_id: 'id', fields: { email: 'mail' }, ...place },
        sourcesDir: '/',
      });
    expect(create({ url: 'https://a.example/hr.csv', path: 'hr.csv' })).toThrow('must have either path or url');
    expect(create({})).toThrow('must have either path or url');
    expect(create({ url: 'https://u:p@a.example/hr.csv' })).toThrow('must not contain credentials');
    expect(create({ url: 'file:///etc/passwd' })).toThrow('must be an http or https URL');
    expect(create({ url: 'https://a.example/hr.csv' })).not.toThrow();
  });
});

describe('the download of a source file', () => {
  it('resumes where it was interrupted', async () => {
    spoil = (reply, number) =>
      number < 3 ? { ...reply, cutAfter: 5_000, cutWhen: () => written(5_000 * number) } : reply;
    const { records } = await readAll(connector());
    expect(records).toHaveLength(2_000);
    expect(server.asked.map(({ headers }) => [headers.range, headers['if-range']])).toEqual([
      [undefined, undefined],
      ['bytes=5000-', '"v1"'],
      ['bytes=10000-', '"v1"'],
    ]);
  });

  it('restarts when the file has changed or has no strong validator', async () => {
    spoil = (reply, number) => {
      if (number > 1) return reply;
      content = 'id,name\nx,new\n';
      etag = '"v2"';
      return { ...reply, cutAfter: 5_000 };
    };
    expect(names((await readAll(connector())).records)).toEqual([['x', 'new']]);
    for (const weak of ['W/"v"', undefined]) {
      content = `id,name\n${rows(2_000)}`;
      etag = weak;
      server.asked.length = 0;
      let first = true;
      spoil = (reply) => {
        const cut = first ? { cutAfter: 5_000 } : {};
        first = false;
        return { ...reply, ...cut };
      };
      expect((await readAll(connector())).records).toHaveLength(2_000);
      expect(server.asked.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
    }
  });

  it('restarts when the server sends a range other than the requested one', async () => {
    spoil = (reply, number) => {
      if (number === 1) return { ...reply, cutAfter: 5_000 };
      if (number === 2) return { ...reply, headers: { ...reply.headers, 'content-range': 'bytes 9-99/2000' } };
      return reply;
    };
    expect((await readAll(connector())).records).toHaveLength(2_000);
    expect(server.asked.at(-1)?.headers.range).toBeUndefined();
  });

  it('accepts a chunked response, but no response without length and chunks', async () => {
    spoil = (reply) => ({ ...reply, endBy: 'chunks' });
    expect((await readAll(connector())).records).toHaveLength(2_000);
    spoil = (reply) => ({ ...reply, endBy: 'closing' });
    await expect(readAll(connector())).rejects.toThrow('reports no length of the file');
  });

  it.each<[string, string, (reply: Reply) => Reply]>([
    [
      'is truncated each time',
      'the connection closed before the response was complete',
      (reply) => ({ ...reply, cutAfter: 10 }),
    ],
    ['is truncated between chunks', 'closed before', (reply) => ({ ...reply, endBy: 'chunks', cutAfter: 10 })],
    ['does not exist', '/hr/export.csv answered 404', () => ({ status: 404 })],
    ['is not authorized', 'answered 401', () => ({ status: 401, body: { message: 'not t0ken' } })],
    [
      'is elsewhere',
      'a redirect to another origin',
      () => ({ status: 302, headers: { location: 'https://cdn.example/' } }),
    ],
    ['is empty', 'is empty and has no header', () => ({ body: '' })],
    ['has no content', 'answered 204', () => ({ status: 204 })],
  ])('fails without reading or leaving anything when the file %s', async (_, message, change) => {
    spoil = change;
    const reading = readAll(connector({ auth: { type: 'bearer' } }));
    await expect(reading).rejects.toThrow(SourceError);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.not.toThrow(/t0ken|format=csv/);
    expect(filesOfTests()).toEqual([]);
  });

  it('fails for a file over the size limit, with and without an announced length', async () => {
    for (const endBy of [undefined, 'chunks'] as const) {
      spoil = (reply) => ({ ...reply, ...(endBy && { endBy }) });
      await expect(readAll(connector({}, undefined, 1_000))).rejects.toThrow('the file is larger than 1000 bytes');
    }
  });

  it('throws the abort reason immediately', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    spoil = () => {
      setImmediate(() => controller.abort(reason));
      return { silent: true };
    };
    const reading = connector().read({ pageSize: 5, signal: controller.signal });
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toBe(reason);
    expect(filesOfTests()).toEqual([]);
  });
});

describe('resuming the read of a file at a URL', () => {
  /** Returns the cursor of an interrupted read. */
  async function leave(source: Connector): Promise<Cursor> {
    for await (const page of source.read({ pageSize: 700, signal: new AbortController().signal })) return page.cursor;
    throw new Error('no page');
  }

  it('returns the rest without downloading the file again', async () => {
    const cursor = JSON.parse(JSON.stringify(await leave(connector())));
    expect(filesOfTests()).toHaveLength(2);
    const { records } = await readAll(connector(), 100, cursor);
    expect(records.map(({ external_id }) => external_id)).toEqual(
      Array.from({ length: 1_300 }, (_, n) => String(700 + n)),
    );
    expect(server.asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
    expect(filesOfTests()).toEqual([]);
  });

  it('fails when the file has changed', async () => {
    const cursor = await leave(connector());
    content = content.replace('name 5\n', 'name 6\n');
    etag = '"v2"';
    await expect(readAll(connector(), 100, cursor)).rejects.toThrow('/hr/export.csv" changed while it was being read');
    expect(filesOfTests()).toEqual([]);
  });

  it('does not use a file downloaded with other credentials', async () => {
    await leave(connector({ auth: { type: 'bearer' } }));
    await readAll(connector({ auth: { type: 'bearer' } }, { token: 'other' }));
    expect(server.asked.at(-1)?.headers['if-none-match']).toBeUndefined();
    await readAll(connector({ auth: { type: 'bearer' } }));
    expect(filesOfTests()).toEqual([]);
  });
});

describe('incremental reads of a file at a URL', () => {
  it('return no changes for the same version and throw CheckpointExpired for another', async () => {
    const { pages } = await readAll(connector());
    const checkpoint = pages.at(-1)?.checkpoint;
    expect(checkpoint).toEqual({ etag: '"v1"' });
    server.asked.length = 0;
    await expect(changes(checkpoint ?? {})).resolves.toEqual([
      { records: [], errors: [], cursor: {}, fraction: 1, last: true, checkpoint },
    ]);
    expect(server.asked).toHaveLength(1);
    etag = '"v2"';
    await expect(changes(checkpoint ?? {})).rejects.toThrow(CheckpointExpired);
    await expect(changes({})).rejects.toThrow(CheckpointExpired);
  });

  it('trust Last-Modified only if the file was unmodified for a while', async () => {
    etag = undefined;
    const date = 'Sat, 31 Jan 2026 12:00:00 GMT';
    const dated = (lastModified: string) => {
      spoil = (reply) => ({ ...reply, headers: { date, 'last-modified': lastModified } });
      return readAll(connector()).then(({ pages }) => pages.at(-1)?.checkpoint);
    };
    await expect(dated('Sat, 31 Jan 2026 11:59:30 GMT')).resolves.toBeUndefined();
    const lastModified = 'Sat, 31 Jan 2026 11:30:00 GMT';
    await expect(dated(lastModified)).resolves.toEqual({ lastModified });
    spoil = (_, __, { headers }) => ({ status: headers['if-modified-since'] === lastModified ? 304 : 500 });
    await expect(changes({ lastModified })).resolves.toHaveLength(1);
  });

  it('are not supported for a file in the sources folder', () => {
    const config = { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } };
    expect(createConnector({ type: 'csv', records: 'user', config, sourcesDir: '/' }).reportsChanges).toBe(false);
    expect(connector().reportsChanges).toBe(true);
  });
});
