import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let receiver: Server | undefined;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(async () => {
  receiver?.close();
  receiver = undefined;
  await service.stop();
});

const event = (sequence: number) => ({
  id: `evt_${sequence}`,
  type: 'user.updated',
  timestamp: '2026-01-31T12:00:00.000Z',
  tenant_id: 'ten_1',
  sequence,
  data: { id: `usr_${sequence}`, display_name: 'Ann Lee', changed: ['job_title', 'email'] },
});

/** Serves a feed of events 1 to `newest`. `onPoll` is called for each page that is read to print it. */
function feedUpTo(newest: number, onPoll = () => {}): void {
  const pages = new Proxy(service.replies, {
    get(target, call: string) {
      const [, query] = /^GET \/v1\/events\?(.*)$/.exec(call) ?? [];
      if (query === undefined) return Reflect.get(target, call);
      const parameters = new URLSearchParams(query);
      const given = parameters.get('after');
      if (given === 'latest') return [[200, { data: [], next_after: newest, has_more: false, limit: 50 }]];
      const after = Number(given);
      onPoll();
      const end = Math.min(newest, after + Number(parameters.get('limit') ?? 50));
      const data = Array.from({ length: Math.max(end - after, 0) }, (_, at) => event(after + at + 1));
      return [[200, { data, next_after: Math.max(after, end), has_more: end < newest, limit: 50 }]];
    },
  });
  Object.assign(service, { replies: pages });
}

const key = 'iss_1_key';
const withKey = () => ({
  IDSYNC_URL: service.url,
  IDSYNC_API_KEY: key,
  ADMIN_TOKEN: 'operator',
  IDSYNC_TENANT: 'ten_1',
});
const idsync = (words: string[], stop?: AbortSignal) => service.idsync(words, { env: withKey(), stop });
const calls = () => service.requests.map(({ call }) => call);

describe('idsync events list and show', () => {
  const listed = {
    id: 'evt_1',
    event_type: 'user.updated',
    occurred_at: '2026-01-31T12:00:00.000Z',
    sequence: 1,
    subject_id: 'usr_1',
    name: 'Ann Lee',
    changed: ['job_title', 'email'],
    deliveries: [{ id: 'dlv_1', webhook_id: 'whk_1', status: 'dead' }],
  };

  it('lists events with filters and the status of their deliveries', async () => {
    service.replies['GET /tenants/ten_1/events'] = [[200, { data: [listed], limit: 50 }]];
    const { out } = await idsync(['events', 'list', '--identity', 'idn_1', '--subject', 'usr_1', '--types', 'user.*']);
    expect(out).toMatch(/user\.updated +usr_1 +Ann Lee +job_title, ?email +dead/);
    expect(calls()).toEqual(['GET /tenants/ten_1/events?limit=50&identity_id=idn_1&subject_id=usr_1&types=user.*']);
  });

  it('names the event that does not exist', async () => {
    service.replies['GET /tenants/ten_1'] = [[200, { id: 'ten_1' }]];
    expect(await idsync(['events', 'show', 'evt_nope'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no event "evt_nope"; "idsync events list" shows the ids'),
    });
  });

  it('shows an event with its body', async () => {
    service.replies['GET /tenants/ten_1/events/evt_1'] = [[200, { ...listed, details: {}, body: '{}' }]];
    const { out } = await idsync(['events', 'show', 'evt_1', '--output', 'json']);
    expect(JSON.parse(out)).toMatchObject({ id: 'evt_1', body: '{}' });
  });
});

describe('idsync events tail', () => {
  it('prints events after a position, with the API key and without an operator token', async () => {
    feedUpTo(3);
    const env = { IDSYNC_URL: service.url, IDSYNC_API_KEY: key };
    const { code, out, err } = await service.idsync(['events', 'tail', '--after', '1', '--limit', '2'], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['2026-01-31T12:00:00.000Z', '2', 'user.updated', 'usr_2', 'Ann Lee', 'job_title, email'],
      ['2026-01-31T12:00:00.000Z', '3', 'user.updated', 'usr_3', 'Ann Lee', 'job_title, email'],
      [''],
    ]);
  });

  it.each([
    ['user.updated', { id: 'usr_1', first_name: 'Ann', last_name: 'Lee', status: 'active' }, 'usr_1', 'Ann Lee'],
    ['user.updated', { id: 'usr_1', status: 'active' }, 'usr_1', '-'],
    ['account.disabled', { id: 'acc_1', identifier: 'alee', status: 'disabled' }, 'acc_1', 'alee'],
    ['group.created', { id: 'grp_1', name: 'VPN' }, 'grp_1', 'VPN'],
    ['sync.job.completed', { job_id: 'job_1', status: 'completed' }, 'job_1', 'completed'],
  ])('names the subject of %s with %j', async (type, data, subject, name) => {
    const shown = { ...event(1), type, data: { ...data, changed: ['status'] } };
    service.replies['GET /v1/events'] = [[200, { data: [shown], next_after: 1, has_more: false }]];
    const { out } = await idsync(['events', 'tail', '--after', '0', '--limit', '1']);
    expect(out.trim().split(/\s{2,}/)).toEqual([shown.timestamp, '1', type, subject, name, 'status']);
  });

  it('prints each event on one line for programs, and CSV under one heading', async () => {
    feedUpTo(2);
    const tail = ['events', 'tail', '--after', '0', '--limit', '2', '--output'];
    expect((await idsync([...tail, 'json'])).out).toBe(`${JSON.stringify(event(1))}\n${JSON.stringify(event(2))}\n`);
    expect((await idsync([...tail, 'csv'])).out).toMatch(
      /^time,sequence,.*\n2026.*,1,.*\n2026.*,2,.*"job_title, email"\n$/,
    );
  });

  it.each([0, 1, 100])('begins after the newest of %i events', async (newest) => {
    const stop = new AbortController();
    feedUpTo(newest, () => setImmediate(() => stop.abort()));
    expect(await idsync(['events', 'tail'], stop.signal)).toEqual({
      code: 130,
      out: '',
      err: `continue with: idsync events tail --after ${newest}\n`,
    });
    expect(calls()).toEqual(['GET /v1/events?after=latest', `GET /v1/events?after=${newest}`]);
  });

  it('continues after an outage where it stopped', async () => {
    service.replies['GET /v1/events?after=0'] = [
      [503, { error: 'starting' }],
      [200, { data: [event(1)], next_after: 1, has_more: true }],
    ];
    service.replies['GET /v1/events?after=1'] = [
      [503, { error: 'starting' }],
      [200, { data: [event(2)], next_after: 2, has_more: false }],
    ];
    const { code, out, err } = await idsync(['events', 'tail', '--after', '0', '--limit', '2', '-o', 'jsonl']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.match(/evt_\d/g)).toEqual(['evt_1', 'evt_2']);
  });

  it('requests only the given types', async () => {
    service.replies['GET /v1/events'] = [[200, { data: [event(1)], next_after: 1, has_more: false }]];
    await idsync(['events', 'tail', '--after', '0', '--limit', '1', '--types', 'user.*, sync.job.failed']);
    expect(calls()).toEqual(['GET /v1/events?types=user.*%2Csync.job.failed&after=0']);
  });

  it.each([
    [401, 1, 'missing or invalid API key; check --api-key, IDSYNC_API_KEY or the context'],
    [403, 1, 'missing scope events:read'],
    [400, 2, 'unknown event type'],
  ])('ends at once after a response of %i', async (status, code, message) => {
    service.replies['GET /v1/events'] = [[status, { error: message.replace(/;.*/, '') }]];
    expect(await idsync(['events', 'tail', '--after', '0'])).toEqual({ code, out: '', err: `idsync: ${message}\n` });
  });

  it('needs an API key', async () => {
    const env = { IDSYNC_URL: service.url };
    expect((await service.idsync(['events', 'tail'], { env })).err).toContain('no API key for http://');
  });
});

describe('idsync webhooks listen', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const received: { headers: IncomingMessage['headers']; body: string }[] = [];

  async function receive(status: number): Promise<string> {
    received.length = 0;
    receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(status).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  }

  const listen = (url: string, ...words: string[]) =>
    idsync(['webhooks', 'listen', '--forward-to', url, '--after', '0', '--limit', '2', ...words]);

  it('sends each event as a webhook that verifies with the given secret', async () => {
    feedUpTo(2);
    const { code, out } = await listen(await receive(204), '--secret', secret);
    expect(code).toBe(0);
    const verified = received.map(({ body, headers }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
    );
    expect(verified).toEqual([event(1), event(2)]);
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'evt_1' });
    expect(out.split('\n')[0]).toMatch(/user\.updated +evt_1 +204 +\d+ ms/);
  });

  it('generates a secret and prints it', async () => {
    feedUpTo(2);
    const { err } = await listen(await receive(200));
    const [generated = ''] = /whsec_\S+/.exec(err) ?? [];
    const [{ body = '', headers = {} } = {}] = received;
    expect(new Webhook(generated).verify(body, headers as Record<string, string>)).toEqual(event(1));
  });

  it('shows a failing response and a receiver that is not running, and goes on', async () => {
    feedUpTo(2);
    const failing = await listen(await receive(500), '--secret', secret);
    expect(failing.out.match(/ 500 /g)).toHaveLength(2);
    const away = await listen('http://127.0.0.1:1/', '--secret', secret, '-o', 'jsonl');
    expect(
      away.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).error),
    ).toHaveLength(2);
  });

  it.each([
    [['--forward-to', 'localhost:80'], '--forward-to must be an http or https URL, got "localhost:80"'],
    [['--forward-to', 'http://h/', '--secret', 'abc'], 'the signing secret must be whsec_'],
    [['--forward-to', 'http://h/', '--types', 'a,,b'], 'comma-separated list without empty parts'],
  ])('rejects %j', async (words, message) => {
    const { code, err } = await idsync(['webhooks', 'listen', ...words]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('idsync watch', () => {
  const job = {
    job_id: 'job_1',
    connector_id: 'con_hr',
    mode: 'full',
    dry_run: false,
    records_applied: 3,
    records_deleted: 0,
    records_failed: 1,
  };

  beforeEach(() => {
    service.replies['GET /tenants/ten_1/connectors'] = [[200, { data: [{ id: 'con_hr', name: 'HR' }], total: 1 }]];
    const jobs = [{ ...job, status: 'running', progress_pct: 40 }];
    service.replies['GET /tenants/ten_1/sync-jobs'] = [[200, { data: jobs, total: 1 }]];
    service.replies['GET /v1/events?after=latest'] = [[200, { data: [], next_after: 0, has_more: false }]];
    service.replies['GET /v1/events?after=0'] = [[200, { data: [event(1)], next_after: 1, has_more: false }]];
    service.replies['GET /v1/events?after=1'] = [[200, { data: [], next_after: 1, has_more: false }]];
  });

  /** Interrupts when the jobs are read again: by then, everything of the first answers is printed. */
  function stopAtSecondLook(): AbortSignal {
    const stop = new AbortController();
    let looks = 0;
    const jobs = 'GET /tenants/ten_1/sync-jobs';
    const replies = { ...service.replies };
    const counted = new Proxy(replies, {
      get(target, call: string) {
        if (call.startsWith(jobs)) looks += 1;
        if (looks > 2) stop.abort();
        return Reflect.get(target, call);
      },
    });
    Object.assign(service, { replies: counted });
    return stop.signal;
  }

  it('shows jobs and events in one view until it is interrupted', async () => {
    const { code, out } = await idsync(['watch'], stopAtSecondLook());
    expect(code).toBe(130);
    expect(out).toMatch(/ job +running 40 % +job_1 +HR, full, 3 applied, 0 deleted, 1 failed\n/);
    expect(out).toMatch(/ event +user\.updated +usr_1 +Ann Lee, job_title, email\n/);
  });

  it('shows only jobs without an API key', async () => {
    const { IDSYNC_API_KEY: _none, ...env } = withKey();
    const { out, err } = await service.idsync(['watch'], { env, stop: stopAtSecondLook() });
    expect(out).toContain('job_1');
    expect(err).toBe('no API key: showing jobs only\n');
  });

  it('shows the note of a job, or its error', async () => {
    const running = { ...job, status: 'running', progress_pct: 40, note: 'waits for the source' };
    const jobs = [running, { ...running, job_id: 'job_2', error_message: 'no such file' }];
    service.replies['GET /tenants/ten_1/sync-jobs'] = [[200, { data: jobs, total: 2 }]];
    const { out } = await idsync(['watch'], stopAtSecondLook());
    expect(out).toMatch(/ job_1 +HR, full, 3 applied, 0 deleted, 1 failed, waits for the source\n/);
    expect(out).toMatch(/ job_2 +HR, full, 3 applied, 0 deleted, 1 failed, no such file\n/);
  });

  it('reads the jobs every two seconds', async () => {
    const began = performance.now();
    await idsync(['watch'], stopAtSecondLook());
    expect(performance.now() - began).toBeGreaterThan(1_900);
  });

  it('ends when the jobs are refused', async () => {
    service.replies['GET /tenants/ten_1/sync-jobs'] = [[403, { error: 'the role viewer is needed' }]];
    expect(await idsync(['watch'])).toMatchObject({ code: 1, err: 'idsync: the role viewer is needed\n' });
  });

  it('ends when either feed is refused', async () => {
    service.replies['GET /v1/events?after=0'] = [[403, { error: 'missing scope events:read' }]];
    expect(await idsync(['watch', '-o', 'jsonl'])).toMatchObject({
      code: 1,
      err: 'idsync: missing scope events:read\n',
    });
  });
});

describe('idsync identities history', () => {
  it('lists what changed, with the cause', async () => {
    const change = { field: 'roles', from: ['a'], to: ['a', 'b'] };
    const entry = {
      id: 'evt_1',
      event_type: 'user.updated',
      occurred_at: '2026-01-31T12:00:00.000Z',
      details: { job_id: 'job_1', subject_id: 'usr_1', changes: [change] },
    };
    service.replies['GET /v1/identities/idn_1/history'] = [[200, { data: [entry, entry], total: 2 }]];
    const { out, err } = await idsync(['identities', 'history', 'idn_1', '--limit', '1']);
    expect(out).toMatch(/user\.updated +evt_1 +usr_1 +roles: a → a; b +job_1\n/);
    expect(err).toBe('1 of 2 shown\n');
    expect(calls()).toEqual(['GET /v1/identities/idn_1/history?limit=1&cursor=']);
  });

  it('names the resource that an event without another subject is about', async () => {
    const entry = { id: 'evt_1', event_type: 'user.created', occurred_at: '2026-01-31T12:00:00.000Z' };
    for (const details of [{ id: 'usr_1' }, { record_id: 'usr_1', id: 'cas_1' }]) {
      service.replies['GET /v1/identities/idn_1/history'] = [[200, { data: [{ ...entry, details }], total: 1 }]];
      expect((await idsync(['identities', 'history', 'idn_1'])).out).toMatch(/user\.created +evt_1 +usr_1 /);
    }
  });

  it('names the identity that does not exist', async () => {
    expect(await idsync(['identities', 'history', 'idn_9'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no identity "idn_9" in the tenant of this API key'),
    });
    expect((await idsync(['identities', 'history', 'usr_1'])).err).toContain('it must begin with idn_');
  });
});
