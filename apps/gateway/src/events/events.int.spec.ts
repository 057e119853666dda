import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import { uuidAt } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Browser } from '../../test/browser.js';
import { adminToken } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';
import { StreamReader } from '../../test/stream-reader.js';

const streamTimes = { pollMs: 20, checkMs: 100, longestMs: 600_000 };

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start({}, { streamTimes });
});

afterAll(() => gateway?.close());

describe('events of operators', () => {
  let tenant: string;
  let path: string;

  beforeEach(async () => {
    tenant = await gateway.fixture.tenant();
    path = `/tenants/${encodeId('tenant', tenant)}`;
  });

  /** Inserts an event that occurs now. */
  async function event(sequence: number, type = 'sync.job.completed'): Promise<string> {
    const id = uuidAt(new Date());
    await gateway.fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     values ($1, $2, $3, $4, now(), '{"status":"completed"}')`,
      [tenant, sequence, id, type],
    );
    await gateway.fixture.rows('update event_sequences set last = greatest(last, $2) where tenant_id = $1', [
      tenant,
      sequence,
    ]);
    return encodeId('event', id);
  }

  it('lists the newest first, page by page, and shows one with the body that webhooks receive', async () => {
    const first = await event(1);
    const second = await event(2, 'sync.job.failed');
    const page = await gateway.operator('GET', `${path}/events?limit=1`);
    expect(page).toMatchObject({ status: 200, body: { data: [{ id: second, sequence: 2, deliveries: [] }] } });
    const { next_cursor: cursor } = page.body as { next_cursor?: string };
    const next = await gateway.operator('GET', `${path}/events?limit=1&cursor=${cursor}`);
    expect(next.body).toMatchObject({ data: [{ id: first }] });
    const one = await gateway.operator('GET', `${path}/events/${first}`);
    const { body } = one.body as { body?: string };
    expect(one.body).toMatchObject({ event_type: 'sync.job.completed', details: { status: 'completed' } });
    expect(JSON.parse(body ?? '')).toMatchObject({ id: first, sequence: 1, data: { status: 'completed' } });
    expect((await gateway.operator('GET', `${path}/events/${encodeId('event', newUuid())}`)).status).toBe(404);
  });

  it.each([
    ['types', 'user*'],
    ['since', 'today'],
    ['cursor', 'x y'],
    ['other', '1'],
  ])('rejects %s=%s with 400', async (name, value) => {
    expect((await gateway.operator('GET', `${path}/events?${name}=${encodeURIComponent(value)}`)).status).toBe(400);
  });

  it('rejects the subject of another kind with 404', async () => {
    for (const id of [encodeId('job', newUuid()), 'nonsense'])
      expect((await gateway.operator('GET', `${path}/events?subject_id=${id}`)).status).toBe(404);
    const { status } = await gateway.operator('GET', `${path}/events?subject_id=${encodeId('account', newUuid())}`);
    expect(status).toBe(200);
  });

  it('counts events by hour', async () => {
    await event(1);
    const { body } = await gateway.operator('GET', `${path}/activity`);
    const { hours } = body as unknown as { hours: { events: number }[] };
    expect([hours.length, hours.reduce((sum, { events }) => sum + events, 0)]).toEqual([24, 1]);
  });

  it('answers 404 for a record that does not exist, and for other ids', async () => {
    for (const id of [encodeId('user', newUuid()), encodeId('job', newUuid()), 'nonsense'])
      expect((await gateway.operator('GET', `${path}/records/${id}`)).status).toBe(404);
  });
});

describe('streams of events:', () => {
  let database: Database;
  let tenant: string;
  const readers: StreamReader[] = [];

  beforeAll(async () => {
    database = await Database.connect({ url: gateway.database.url, service: 'gateway' });
  });

  beforeEach(async () => {
    tenant = (await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id;
  });

  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close();
  });

  afterAll(async () => {
    await database?.close();
  });

  const issue = async (body: object): Promise<Body> => (await gateway.operator('POST', '/service-tokens', body)).body;

  async function sessionOf(token = adminToken): Promise<{ browser: Browser; headers: Record<string, string> }> {
    const browser = new Browser(gateway.url);
    await browser.signIn(token);
    return { browser, headers: { cookie: `idsync_session=${browser.cookie('idsync_session')}` } };
  }

  async function open(
    query = '',
    { url = gateway.url, of = tenant, headers = {} as Record<string, string> } = {},
  ): Promise<StreamReader> {
    const credentials = headers.cookie || headers.authorization ? {} : (await sessionOf()).headers;
    const path = `/admin/v1/tenants/${of}/events/stream${query}`;
    const reader = await StreamReader.open(`${url}${path}`, { ...credentials, ...headers });
    readers.push(reader);
    return reader;
  }

  async function record(count: number, of = tenant): Promise<void> {
    const uuid = decodeId('tenant', of) ?? '';
    const events = Array.from({ length: count }, () => ({
      type: 'sync.job.completed' as const,
      details: { note: 'secret' },
    }));
    await database.transaction(uuid, (tx) => recordEvents(tx, events));
  }

  const sequencesOf = (messages: { id: number }[]) => messages.map(({ id }) => id);

  describe('a stream of events', () => {
    it('sends each new event once and in order, without its values', async () => {
      await record(2);
      const reader = await open();
      expect(reader.answer.headers.get('content-type')).toBe('text/event-stream');
      expect(reader.answer.headers.get('cache-control')).toBe('no-store');
      await record(2);
      await record(1);
      const messages = await reader.next(3);
      expect(sequencesOf(messages)).toEqual([3, 4, 5]);
      const { body } = await gateway.operator('GET', `/tenants/${tenant}/events?limit=1`);
      const [{ id, occurred_at, sequence }] = body.data;
      expect(messages[2]).toEqual({
        event: 'message',
        id: 5,
        data: { id, event_type: 'sync.job.completed', occurred_at, sequence },
      });
    });

    it('misses no event of transactions that commit at the same time', async () => {
      const reader = await open();
      await Promise.all(Array.from({ length: 30 }, (_, index) => record(1 + (index % 3))));
      expect(sequencesOf(await reader.next(60))).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    });

    it('continues after Last-Event-ID, or else after the given sequence', async () => {
      await record(4);
      expect(sequencesOf(await (await open('?after=1')).next(3))).toEqual([2, 3, 4]);
      const reader = await open('?after=1', { headers: { 'last-event-id': '3' } });
      await record(1);
      expect(sequencesOf(await reader.next(2))).toEqual([4, 5]);
    });

    it('sends a reset to a client that is more than 1000 events behind, or ahead of the newest one', async () => {
      await record(1_001);
      const [behind, within, ahead] = [await open('?after=0'), await open('?after=1'), await open('?after=5000')];
      await record(1);
      expect(await behind.next(1)).toEqual([{ event: 'reset', id: expect.any(Number), data: {} }]);
      expect(await ahead.next(2)).toMatchObject([
        { event: 'reset', id: 1_001 },
        { event: 'message', id: 1_002 },
      ]);
      const [first] = await within.next(1);
      // The poll may have seen the newest event already.
      expect([2, 1_002]).toContain(first?.id);
    });

    it.each([
      ['?after=-1', {}],
      ['?after=x', {}],
      ['?after=1.5', {}],
      ['', { 'last-event-id': 'x' }],
    ])('rejects the position %s %j with 400', async (query, headers) => {
      const credentials = { authorization: `Bearer ${adminToken}`, ...headers };
      const answer = await fetch(`${gateway.url}/admin/v1/tenants/${tenant}/events/stream${query}`, {
        headers: credentials,
      });
      expect({ status: answer.status, body: await answer.json() }).toEqual({
        status: 400,
        body: { error: 'after must be an integer of at least 0, or latest' },
      });
    });

    it('has no body for HEAD, and is 404 for an unknown tenant', async () => {
      const headers = { authorization: `Bearer ${adminToken}` };
      const head = await fetch(`${gateway.url}/admin/v1/tenants/${tenant}/events/stream`, { method: 'HEAD', headers });
      expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: '' });
      await expect(open('', { of: 'ten_01h00000000000000000000000' })).rejects.toThrow('404');
    });

    it('never contains events of another tenant', async () => {
      const { body: other } = await gateway.operator('POST', '/tenants', { name: 'Other' });
      const [mine, theirs] = [await open(), await open('', { of: other.id })];
      await record(1);
      await record(2, other.id);
      await record(1);
      expect(sequencesOf(await mine.next(2))).toEqual([1, 2]);
      expect(sequencesOf(await theirs.next(2))).toEqual([1, 2]);
      const shown = async (id: string) => (await gateway.operator('GET', `/tenants/${id}/events`)).body.data;
      await record(1);
      await record(1, other.id);
      const [[last], [lastOfOther]] = [await mine.next(1), await theirs.next(1)];
      expect([last?.data.id, lastOfOther?.data.id]).toEqual([
        (await shown(tenant))[0].id,
        (await shown(other.id))[0].id,
      ]);
      const { token } = await issue({ name: 'restricted', role: 'viewer', tenants: [tenant] });
      await expect(open('', { of: other.id, headers: { authorization: `Bearer ${token}` } })).rejects.toThrow('404');
    });

    it('reads an event once for all streams of a tenant', async () => {
      const streams = [await open(), await open(), await open()];
      const reads = jest.spyOn(Database.prototype, 'read');
      await record(1);
      for (const stream of streams) expect(sequencesOf(await stream.next(1))).toEqual([1]);
      const names = reads.mock.calls.map(([, { name }]) => name);
      expect(names.filter((name) => name === 'event-references')).toHaveLength(1);
    });
  });

  describe('the number of streams', () => {
    it('is 4 for a session, and for the tokens of an address', async () => {
      const { headers } = await sessionOf();
      const bearer = { authorization: `Bearer ${adminToken}` };
      for (const each of [headers, bearer]) {
        const [first] = await Promise.all(Array.from({ length: 4 }, () => open('', { headers: each })));
        await expect(open('', { headers: each })).rejects.toThrow('429 30');
        await first?.close();
        // The gateway notices the end of the connection later.
        for (let isOpen = false; !isOpen; ) isOpen = await open('', { headers: each }).then(Boolean, () => false);
      }
    });

    it('is 200 for a gateway', async () => {
      const quiet = await gateway.another({}, { streamTimes: { ...streamTimes, checkMs: 60_000 } });
      for (let sessions = 0; sessions < 50; sessions += 1) {
        const { headers } = await sessionOf();
        await Promise.all(Array.from({ length: 4 }, () => open('', { url: quiet.url, headers })));
      }
      await expect(open('', { url: quiet.url })).rejects.toThrow('503 60');
      await quiet.close();
    });
  });

  describe('a stream ends', () => {
    it('when its session ends', async () => {
      const { browser, headers } = await sessionOf();
      const reader = await open('', { headers });
      expect((await browser.call('DELETE', '/admin/v1/session')).status).toBe(204);
      await reader.ended();
    });

    it('when the service token that its session began with is revoked', async () => {
      const { id, token } = await issue({ name: 'eva', role: 'viewer' });
      const reader = await open('', { headers: (await sessionOf(token)).headers });
      const other = await open('', { headers: { authorization: `Bearer ${token}` } });
      await gateway.operator('DELETE', `/service-tokens/${id}`);
      await Promise.all([reader.ended(), other.ended()]);
    });

    it('when its service token expires', async () => {
      const { token } = await issue({ name: 'brief', role: 'viewer', expires_at: new Date(Date.now() + 1_500) });
      const reader = await open('', { headers: { authorization: `Bearer ${token}` } });
      await reader.ended();
    });

    it('after its longest time, while another one stays open', async () => {
      const brief = await gateway.another({}, { streamTimes: { ...streamTimes, longestMs: 200 } });
      const [ending, staying] = [await open('', { url: brief.url }), await open()];
      await ending.ended();
      await record(1);
      expect(sequencesOf(await staying.next(1))).toEqual([1]);
      await brief.close();
    });
  });
});
