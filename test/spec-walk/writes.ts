import { newUuid } from '@idsync/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CheckedClient } from '../support/checked-client.js';
import { createConnector, jobEnd } from '../support/client.js';
import type { SpecDirectory } from '../support/spec-directory.js';
import { fieldsOf, specTables } from '../support/spec-tables.js';

const longText = 'x'.repeat(300);
const unknownConnector = 'con_01h00000000000000000000000';
const url = 'https://example.com/hook';

/** Writes to tenants that have neither people nor webhooks. */
export function walkWrites(given: () => SpecDirectory): void {
  let directory: SpecDirectory;
  let client: CheckedClient;

  beforeAll(() => {
    directory = given();
    client = directory.clientOf(directory.first);
  });

  const trigger = (status: number, body?: unknown) => client.call('POST', '/v1/sync/trigger', status, { body });
  const create = (status: number, body?: unknown) => client.call('POST', '/v1/webhooks', status, { body });
  const patch = (id: string, status: number, body?: unknown) =>
    client.call('PATCH', '/v1/webhooks/{id}', status, { id, body });

  describe('POST /v1/sync/trigger and GET /v1/sync/jobs/{id}', () => {
    it('accept a job, process it and return all of its fields', async () => {
      const { body } = await trigger(202, { connector_id: directory.connectors.people });
      expect(fieldsOf(body)).toEqual(specTables.SyncJob);
      expect(body.status).toBe('queued');
      await jobEnd(directory.first, body.job_id);
      const { body: job } = await client.get('/v1/sync/jobs/{id}', { id: body.job_id });
      expect(fieldsOf(job)).toEqual(specTables.CompletedJob);
      expect(job).toMatchObject({ job_id: body.job_id, status: 'completed', progress_pct: 100 });
      expect(job.batches_processed).toBe(job.batches_total);
      expect(Date.parse(job.completed_at)).toBeGreaterThanOrEqual(Date.parse(job.started_at));
    });

    it('return the reason of a failed job with a progress below 100', async () => {
      const connector = await createConnector(directory.first, {
        type: 'csv',
        name: 'Absent',
        config: { path: 'absent.csv', external_id: 'id', fields: { email: 'mail' } },
      });
      const { body } = await trigger(202, { connector_id: connector });
      await jobEnd(directory.first, body.job_id);
      const { body: job } = await client.get('/v1/sync/jobs/{id}', { id: body.job_id });
      expect(job).toMatchObject({ status: 'failed', error_message: expect.stringContaining('absent.csv') });
      expect(job.progress_pct).toBeLessThan(100);
    });

    it('return the same job with its current status for a repeated idempotency key', async () => {
      const body = { connector_id: directory.connectors.people, idempotency_key: 'once ✓' };
      const first = await trigger(202, body);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      await jobEnd(directory.first, first.body.job_id);
      const second = await trigger(202, body);
      expect(second.body).toEqual({ job_id: first.body.job_id, status: 'completed' });
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      const { body: refused } = await trigger(400, { ...body, connector_id: directory.connectors.accounts });
      expect(refused.error).toContain('idempotency_key');
    });

    it('separate the idempotency keys of tenants', async () => {
      const key = { idempotency_key: newUuid() };
      const mine = await trigger(202, { connector_id: directory.connectors.people, ...key });
      const theirs = await directory
        .clientOf(directory.second)
        .call('POST', '/v1/sync/trigger', 202, { body: { connector_id: directory.secondConnector, ...key } });
      expect(theirs.body.job_id).not.toBe(mine.body.job_id);
      expect(theirs.headers.get('idempotent-replayed')).toBeNull();
    });

    it.each([unknownConnector, 'nonsense', 'con_', longText])(
      'return 404 for the connector %s',
      async (connector_id) => {
        await trigger(404, { connector_id });
        await trigger(404, { connector_id, idempotency_key: newUuid() });
      },
    );

    it.each<[string, unknown]>([
      ['no body', undefined],
      ['an empty body', {}],
      ['null', null],
      ['a list', []],
      ['a text', 'con'],
      ['a number', 5],
      ['a connector_id that is null', { connector_id: null }],
      ['a connector_id that is a number', { connector_id: 5 }],
      ['an empty connector_id', { connector_id: '' }],
      ['a NUL in connector_id', { connector_id: 'con_\0' }],
      ['an unpaired surrogate in connector_id', { connector_id: 'con_\ud800' }],
      ['an empty idempotency_key', { connector_id: unknownConnector, idempotency_key: '' }],
      ['an idempotency_key of 300 characters', { connector_id: unknownConnector, idempotency_key: longText }],
      ['an idempotency_key that is null', { connector_id: unknownConnector, idempotency_key: null }],
      ['an idempotency_key that is a number', { connector_id: unknownConnector, idempotency_key: 5 }],
      ['a NUL in idempotency_key', { connector_id: unknownConnector, idempotency_key: 'a\0' }],
      ['an unpaired surrogate in idempotency_key', { connector_id: unknownConnector, idempotency_key: '\udc00' }],
    ])('return 400 for %s', async (_what, body) => {
      const { body: answer } = await trigger(400, body);
      expect(answer.error).toMatch(/connector_id|idempotency_key|the body/);
    });
  });

  describe('webhooks', () => {
    it('return the signing secret only when created and when rotated', async () => {
      const { body: created } = await create(201, { callback_url: url, events: ['identity.*', 'user.created'] });
      const { signing_secret: secret, ...webhook } = created;
      expect(fieldsOf(webhook)).toEqual(specTables.Webhook);
      expect(webhook).toMatchObject({ callback_url: url, events: ['identity.*', 'user.created'], active: true });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

      const { body: list } = await client.get('/v1/webhooks');
      expect(fieldsOf(list)).toEqual(specTables.WebhookList);
      expect(list).toEqual({ data: [webhook], total: 1 });

      const { body: rotated } = await client.call('POST', '/v1/webhooks/{id}/rotate-secret', 200, { id: webhook.id });
      expect(rotated).toEqual({ signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) });
      expect(rotated.signing_secret).not.toBe(secret);

      const { body: patched } = await patch(webhook.id, 200, { active: false });
      expect(patched).toEqual({ ...webhook, active: false });
      const { body: moved } = await patch(webhook.id, 200, { callback_url: `${url}/2`, events: ['*'], active: true });
      expect(moved).toEqual({ ...webhook, callback_url: `${url}/2`, events: ['*'] });
      expect((await patch(webhook.id, 200, {})).body).toEqual(moved);
      expect((await patch(webhook.id, 200)).body).toEqual(moved);

      await client.call('DELETE', '/v1/webhooks/{id}', 204, { id: webhook.id });
      await client.call('DELETE', '/v1/webhooks/{id}', 404, { id: webhook.id });
      await patch(webhook.id, 404, {});
      await client.call('POST', '/v1/webhooks/{id}/rotate-secret', 404, { id: webhook.id });
      expect((await client.get('/v1/webhooks')).body).toEqual({ data: [], total: 0 });
    });

    it('name a missing required field with the error of the specification', async () => {
      for (const body of [undefined, null, {}, { events: ['*'] }]) {
        expect((await create(400, body)).body).toEqual({ error: 'callback_url is required' });
      }
      expect((await create(400, { callback_url: url })).body).toEqual({ error: 'events is required' });
    });

    it('accept unknown event types, so that receivers may be newer', async () => {
      const { body } = await create(201, { callback_url: url, events: ['nothing.of_this.kind', 'x'] });
      expect(body.events).toEqual(['nothing.of_this.kind', 'x']);
      await client.call('DELETE', '/v1/webhooks/{id}', 204, { id: body.id });
    });

    const invalid: [string, Record<string, unknown>][] = [
      ...[
        '',
        'nonsense',
        '/hook',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://',
        'https://a:b@example.com',
      ].map((callback_url): [string, Record<string, unknown>] => [`callback_url ${callback_url}`, { callback_url }]),
      ['a callback_url that is null', { callback_url: null }],
      ['a callback_url that is a number', { callback_url: 5 }],
      ['a callback_url of 3000 characters', { callback_url: `${url}/${'x'.repeat(3000)}` }],
      ['a NUL in callback_url', { callback_url: `${url}/\0` }],
      ['an unpaired surrogate in callback_url', { callback_url: `${url}/\ud800` }],
      ['no events', { events: [] }],
      ['events that are a text', { events: '*' }],
      ['events that are null', { events: null }],
      ['an event that is a number', { events: [5] }],
      ['an event that is null', { events: [null] }],
      ...['', 'Identity.created', '.', 'a..b', '*.created', 'a b', 'a\0', 'a\n', 'x'.repeat(300), '\ud800'].map(
        (event): [string, Record<string, unknown>] => [`the event ${JSON.stringify(event)}`, { events: [event] }],
      ),
      ['more than 100 events', { events: Array.from({ length: 101 }, (_, index) => `event${index}`) }],
    ];

    it.each(invalid)('are neither created nor changed with %s', async (_what, wrong) => {
      await create(400, { callback_url: url, events: ['*'], ...wrong });
      expect((await client.get('/v1/webhooks')).body.total).toBe(0);
      const { body: webhook } = await create(201, { callback_url: url, events: ['*'] });
      const { body } = await patch(webhook.id, 400, wrong);
      expect(body.error).toMatch(/^(callback_url|events)/);
      const { signing_secret: _secret, ...before } = webhook;
      expect((await client.get('/v1/webhooks')).body.data).toEqual([before]);
      await client.call('DELETE', '/v1/webhooks/{id}', 204, { id: webhook.id });
    });

    it.each([[{ active: 'yes' }], [{ active: null }], [{ active: 1 }], [[]], ['text'], [5]])(
      'are not changed by the invalid body %j',
      async (wrong) => {
        const { body: webhook } = await create(201, { callback_url: url, events: ['*'] });
        await patch(webhook.id, 400, wrong);
        await client.call('DELETE', '/v1/webhooks/{id}', 204, { id: webhook.id });
      },
    );
  });
}
