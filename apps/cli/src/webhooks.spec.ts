import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

describe('deliveries of webhooks', () => {
  const idsync = (...words: string[]) => service.idsync(words);
  const calls = () => service.requests.map(({ call, body }) => (body === undefined ? [call] : [call, body]));

  const at = '2026-01-31T12:00:00.000Z';
  const health = {
    id: 'whk_1',
    callback_url: 'https://x.org/hook',
    events: ['user.*'],
    active: true,
    created_at: at,
    pending: { count: 3, exact: true },
    dead: { count: 10_000, exact: false },
    breaker: { state: 'open', open_until: at },
    failures: 12,
  };
  const delivery = {
    id: 'dlv_1',
    webhook_id: 'whk_1',
    event_type: 'user.created',
    occurred_at: at,
    status: 'dead',
    in_flight: false,
    tries: 10,
    last_outcome: 'rejected',
    last_status_code: 503,
  };
  const replay = {
    replay_id: 'rpl_1',
    webhook_id: 'whk_1',
    kind: 'requeue',
    status: 'queued',
    requested_by: 'eve',
    created_at: at,
    progress_pct: 0,
    looked_at: 0,
    made_due: 0,
  };

  describe('webhooks', () => {
    it('are listed with pending and dead counts, and a plus sign on a count that stopped at its limit', async () => {
      replies['GET /tenants/ten_1/webhooks'] = [[200, { data: [health], total: 1 }]];
      expect((await idsync('webhooks', 'list')).out).toContain(
        'whk_1  https://x.org/hook  yes     3        10000+  open',
      );
    });

    it('are shown with their delivery statistics', async () => {
      const statistics = {
        since: at,
        attempts: 1_000,
        success_rate: 0.9996,
        duration_ms: { p50: 20, p99: 900, attempts: 800 },
        outcomes: { delivered: 998, rejected: 2 },
      };
      replies['GET /tenants/ten_1/webhooks/whk_1'] = [[200, { ...health, statistics }]];
      const { out } = await idsync('webhooks', 'show', 'whk_1');
      expect(out).toMatch(/breaker +open until 2026-/);
      // 99.96 % is rounded down, so that failures never show as 100 %.
      expect(out).toMatch(/success rate +99\.9 %\n/);
      expect(out).toMatch(/duration +p50 20 ms, p99 900 ms, of 800 attempts\n/);
      expect(out).toMatch(/outcomes +delivered 998, rejected 2\n/);
    });

    it('are tested with a message', async () => {
      const path = 'POST /tenants/ten_1/webhooks/whk_1/test';
      replies[path] = [[202, { event_id: 'evt_1' }]];
      expect((await idsync('webhooks', 'test', 'whk_1', '--message', 'hello')).out).toBe('event_id  evt_1\n');
      expect(calls()).toEqual([[path, { message: 'hello' }]]);
    });

    it('have their secret rotated, and earlier secrets revoked only after a confirmation', async () => {
      const path = 'POST /tenants/ten_1/webhooks/whk_1/rotate-secret';
      replies[path] = [[200, { signing_secret: 'whsec_new' }]];
      const words = ['webhooks', 'rotate-secret', 'whk_1'];
      expect((await idsync(...words)).out).toBe('signing_secret  whsec_new\n');
      const refused = await service.idsync([...words, '--overlap-hours', '0'], { typed: 'n\n' });
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('nothing was changed') });
      expect(calls()).toEqual([[path, {}]]);
      const ended = await service.idsync([...words, '--overlap-hours', '0'], { typed: 'y\n' });
      expect(ended).toMatchObject({ code: 0, out: 'signing_secret  whsec_new\n' });
      await idsync(...words, '--overlap-hours', '0', '--yes');
      await idsync(...words, '--overlap-hours', '720');
      const [, ...later] = calls();
      expect(later.map(([, body]) => body)).toEqual([
        { overlap_hours: 0 },
        { overlap_hours: 0 },
        { overlap_hours: 720 },
      ]);
    });

    it('requeue their dead deliveries and watch the replay to its end', async () => {
      const path = 'POST /tenants/ten_1/webhooks/whk_1/requeue';
      replies[path] = [[202, replay]];
      expect(await idsync('webhooks', 'requeue', 'whk_1', '--by', 'eve')).toMatchObject({
        code: 0,
        out: expect.stringContaining('rpl_1'),
      });
      expect(calls()).toEqual([[path, { by: 'eve' }]]);
      replies['GET /tenants/ten_1/replays/rpl_1'] = [
        [200, { ...replay, status: 'running', progress_pct: 50, made_due: 500 }],
        [503, { error: 'starting' }],
        [200, { ...replay, status: 'done', progress_pct: 100, made_due: 1_000 }],
      ];
      const watched = await idsync('webhooks', 'requeue', 'whk_1', '--watch');
      expect(watched).toMatchObject({ code: 0, err: 'running 50 %\ndone 100 %\n' });
      expect(watched.out).toMatch(/made_due +1000\n/);
    });

    it('replay the events of a time range', async () => {
      const path = 'POST /tenants/ten_1/webhooks/whk_1/replay';
      replies[path] = [[202, { ...replay, kind: 'replay' }]];
      replies['GET /tenants/ten_1/replays/rpl_1'] = [[200, { ...replay, status: 'cancelled' }]];
      expect((await idsync('webhooks', 'replay', 'whk_1')).err).toContain('--since');
      const words = ['--since', at, '--events', 'user.*, identity.created', '--watch'];
      expect((await idsync('webhooks', 'replay', 'whk_1', ...words)).code).toBe(1);
      expect(calls()[0]).toEqual([path, { since: at, events: ['user.*', 'identity.created'] }]);
    });
  });

  describe('deliveries', () => {
    const path = 'GET /tenants/ten_1/deliveries';

    it('are listed across pages that hold fewer items than requested', async () => {
      replies[`${path}?limit=2&status=dead`] = [[200, { data: [], next_cursor: 'a' }]];
      replies[`${path}?limit=2&status=dead&cursor=a`] = [[200, { data: [delivery], next_cursor: 'b' }]];
      replies[`${path}?limit=1&status=dead&cursor=b`] = [[200, { data: [delivery], next_cursor: 'c' }]];
      const { out, err } = await idsync('deliveries', 'list', '--status', 'dead', '--limit', '2');
      expect(out.match(/dlv_1 +whk_1 +user\.created +2026-\S+ +dead +10 +rejected 503\n/g)).toHaveLength(2);
      expect(err).toBe('more results may exist: continue with --cursor c\n');
    });

    it('are listed with every filter, without a cursor on the last page', async () => {
      const query = 'limit=50&webhook_id=whk_1&event_type=user.created&since=2026-01-01&until=2026-02-01&cursor=x';
      replies[`${path}?${query}`] = [[200, { data: [delivery] }]];
      const words = ['--webhook', 'whk_1', '--event', 'user.created', '--since', '2026-01-01', '--until', '2026-02-01'];
      expect(await idsync('deliveries', 'list', ...words, '--cursor', 'x')).toMatchObject({ code: 0, err: '' });
    });

    it('are listed with the last error if there was no response', async () => {
      const { last_status_code, ...unanswered } = delivery;
      replies[path] = [[200, { data: [{ ...unanswered, last_outcome: 'unreachable', last_error: 'timed out' }] }]];
      expect((await idsync('deliveries', 'list')).out).toContain('unreachable timed out\n');
    });

    it('stop listing after 100 pages without a match', async () => {
      replies[path] = [[200, { data: [], next_cursor: 'on' }]];
      const { out, err } = await idsync('deliveries', 'list', '--event', 'user.created');
      expect({ out, err }).toEqual({ out: 'none\n', err: 'more results may exist: continue with --cursor on\n' });
      expect(service.requests).toHaveLength(100);
    });

    it('are shown with attempts, body and last response, without terminal control characters', async () => {
      const attempts = [
        { number: 1, started_at: at, outcome: 'timed_out', error: 'no answer within 15 s', duration_ms: 15_000 },
        {
          number: 2,
          started_at: at,
          outcome: 'rejected',
          status_code: 500,
          response_body: 'oh\r\nno\u001b[2J',
          duration_ms: 9,
        },
      ];
      replies[`${path}/dlv_1`] = [[200, { ...delivery, attempts, body: '{"id":"evt\u009b1"}' }]];
      const { out } = await idsync('deliveries', 'show', 'dlv_1');
      expect(out).toMatch(/1 +2026-\S+ +timed_out +- +15000 ms +no answer within 15 s\n/);
      expect(out).toContain('\nbody:\n{"id":"evt\u{fffd}1"}\n\nlast response:\noh\nno\u{fffd}[2J\n');
    });

    it('are resent one at a time', async () => {
      replies['POST /tenants/ten_1/deliveries/dlv_1/resend'] = [[202, { ...replay, kind: 'resend' }]];
      expect((await idsync('deliveries', 'resend', 'dlv_1')).out).toMatch(/kind +resend\n/);
    });
  });

  describe('replays', () => {
    it('are listed, shown and cancelled', async () => {
      const path = '/tenants/ten_1/replays';
      replies[`GET ${path}`] = [[200, { data: [replay] }]];
      replies[`GET ${path}/rpl_1`] = [[200, replay]];
      replies[`POST ${path}/rpl_1/cancel`] = [[202, replay]];
      expect((await idsync('replays', 'list')).out).toContain('rpl_1  requeue  whk_1    queued  0');
      expect((await idsync('replays', 'show', 'rpl_1')).out).toMatch(/status +queued\n/);
      expect((await idsync('replays', 'cancel', 'rpl_1')).code).toBe(0);
      expect(calls().at(-1)).toEqual([`POST ${path}/rpl_1/cancel`]);
    });
  });
});

describe('the settings of webhooks', () => {
  const url = 'https://example.com/hook';
  const path = '/tenants/ten_1/webhooks';

  const idsync = (...words: string[]) => service.idsync(['webhooks', ...words]);
  const fileOf = async (content: object) => {
    await writeFile(join(service.cwd, 'settings.json'), JSON.stringify(content));
    return 'settings.json';
  };
  const sent = () => service.requests.map(({ call, body }) => [call, body]);

  describe('idsync webhooks create', () => {
    it('sends the settings and prints the signing secret', async () => {
      service.replies[`POST ${path}`] = [[201, { id: 'whk_1', signing_secret: 'whsec_x' }]];
      const filter = { field: 'data.status', equals: 'active' };
      const words = ['--events', 'user.*, group.created', '--payload', 'thin', '--filter', await fileOf(filter)];
      const { code, out, err } = await idsync('create', url, ...words);
      expect([code, out, err]).toEqual([
        0,
        expect.stringContaining('whsec_x'),
        expect.stringContaining('not shown again'),
      ]);
      const body = { callback_url: url, events: ['user.*', 'group.created'], payload: 'thin', filter };
      expect(sent()).toEqual([[`POST ${path}`, body]]);
    });

    it('requires the events before it sends a request', async () => {
      const { code, err } = await idsync('create', url);
      expect([code, err, sent()]).toEqual([2, expect.stringContaining('--events'), []]);
    });
  });

  describe('idsync webhooks update', () => {
    it('sends only what is given, and removes a filter', async () => {
      service.replies[`PATCH ${path}/whk_1`] = [[200, { id: 'whk_1' }]];
      await idsync('update', 'whk_1', '--filter', 'none', '--headers', await fileOf({ 'x-team': 'a' }));
      await idsync('update', 'whk_1', '--deactivate');
      await idsync('update', 'whk_1', '--activate', '--callback-url', url);
      expect(sent().map(([, body]) => body)).toEqual([
        { filter: null, headers: { 'x-team': 'a' } },
        { active: false },
        { callback_url: url, active: true },
      ]);
    });

    it.each([[[]], [['--activate', '--deactivate']]])('refuses %j before it sends a request', async (words) => {
      expect((await idsync('update', 'whk_1', ...words)).code).toBe(2);
      expect(sent()).toEqual([]);
    });
  });

  describe('idsync webhooks delete', () => {
    it('asks with the address, and deletes after a yes', async () => {
      service.replies[`GET ${path}/whk_1`] = [[200, { callback_url: url }]];
      service.replies[`DELETE ${path}/whk_1`] = [[204]];
      const no = await service.idsync(['webhooks', 'delete', 'whk_1'], { typed: 'n\n' });
      expect([no.code, no.err]).toEqual([1, expect.stringContaining(url)]);
      await service.idsync(['webhooks', 'delete', 'whk_1'], { typed: 'y\n' });
      await idsync('delete', 'whk_1', '--yes');
      const calls = sent().map(([call]) => call);
      expect(calls.filter((call) => `${call}`.startsWith('DELETE'))).toHaveLength(2);
    });
  });
});

describe('idsync webhooks portal', () => {
  it('prints a link to the webhooks', async () => {
    const url = 'https://idsync.example/portal/#ipl_x';
    service.replies['POST /tenants/ten_1/portal-links'] = [
      [201, { id: 'plk_1', url, webhook_ids: ['whk_1', 'whk_2'] }],
    ];
    const { code, out } = await service.idsync(['webhooks', 'portal', 'whk_1', 'whk_2', '--expires-in', '900']);
    expect([code, out]).toEqual([0, expect.stringContaining(url)]);
    const body = { webhook_ids: ['whk_1', 'whk_2'], access: 'send', bodies: true, expires_in: 900 };
    expect(service.requests.at(-1)).toMatchObject({ body });
  });

  it('refuses an unknown access before it sends a request', async () => {
    const { code, err } = await service.idsync(['webhooks', 'portal', 'whk_1', '--access', 'all']);
    expect([code, err]).toEqual([2, expect.stringContaining('read, send, change')]);
    expect(service.requests).toEqual([]);
  });

  it('revokes all links of a webhook', async () => {
    service.replies['DELETE /tenants/ten_1/webhooks/whk_1/portal-links'] = [[204]];
    const { code, err } = await service.idsync(['webhooks', 'revoke-portal', 'whk_1']);
    expect([code, service.requests.at(-1)?.call]).toEqual([0, expect.stringMatching(/^DELETE .*portal-links$/)]);
    expect(err).toBe('the portal links of whk_1 are revoked\n');
  });
});
