import { newUuid } from '@idsync/contracts';
import { type DirectoryFixture, ServiceDatabase, uuidAt } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventFilter, findEvent, listEvents } from './list-events.js';

let own: ServiceDatabase;
let fixture: DirectoryFixture;
let tenant: string;

const start = Date.parse('2026-01-01T00:00:00Z');
const hour = 60 * 60_000;
const at = (sequence: number) => new Date(start + sequence * hour);

beforeAll(async () => {
  own = await ServiceDatabase.start('gateway');
  fixture = own.fixture;
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(() => own?.close());

interface Given {
  type?: string;
  identity?: string;
  job?: string;
  subject?: string;
}

/** Inserts one event per hour, and returns their ids. */
async function happened(events: readonly Given[]): Promise<string[]> {
  const ids = events.map((_, index) => uuidAt(at(index + 1)));
  for (const [index, { type = 'user.updated', identity = null, job = null, subject = null }] of events.entries())
    await fixture.rows(
      `insert into events (tenant_id, sequence, id, type, occurred_at, identity_id, job_id, subject_id, details)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '{"changes":[{"field":"email"},{"field":"email"},{"field":"job_title"}]}')`,
      [tenant, index + 1, ids[index], type, at(index + 1), identity, job, subject],
    );
  return ids;
}

const list = (filter: Partial<EventFilter> = {}, examineLimit?: number) =>
  own.database.transaction(tenant, (tx) => listEvents(tx, tenant, { limit: 50, ...filter }, examineLimit));

const sequences = async (filter?: Partial<EventFilter>) => (await list(filter)).rows.map(({ sequence }) => sequence);

describe('events as operators list them', () => {
  it('returns the newest first, with the position of the next page', async () => {
    await happened([{}, {}, {}]);
    const first = await list({ limit: 2 });
    expect([first.rows.map(({ sequence }) => sequence), first.next]).toEqual([[3, 2], 2]);
    const second = await list({ limit: 2, before: first.next });
    expect([second.rows.map(({ sequence }) => sequence), second.next]).toEqual([[1], undefined]);
    expect(second.rows[0]).toMatchObject({ changed: ['email', 'job_title'], deliveries: [], occurredAt: at(1) });
  });

  it('filters by type, time, run and identity', async () => {
    const [identity, job] = [newUuid(), newUuid()];
    await happened([{ identity }, { type: 'identity.created', identity, job }, { job }, { type: 'user.created' }]);
    await fixture.rows(
      `insert into identities (id, tenant_id, status, document, created_at, updated_at)
       values ($1, $2, 'active', '{}', now(), now())`,
      [identity, tenant],
    );
    expect(await sequences({ types: ['user.*'] })).toEqual([4, 3, 1]);
    expect(await sequences({ since: at(2), until: at(4) })).toEqual([3, 2]);
    expect(await sequences({ jobId: job })).toEqual([3, 2]);
    expect(await sequences({ identityId: identity })).toEqual([2, 1]);
    expect(await sequences({ identityId: identity, types: ['identity.created'] })).toEqual([2]);
    expect(await sequences({ identityId: newUuid() })).toEqual([]);
  });

  it('filters by the record that an event is about, of any identity or of one', async () => {
    const [identity, subject] = [newUuid(), newUuid()];
    await fixture.rows(
      `insert into identities (id, tenant_id, status, document, created_at, updated_at)
       values ($1, $2, 'active', '{}', now(), now())`,
      [identity, tenant],
    );
    await happened([{ subject }, { identity }, { identity, subject }, { subject: newUuid() }]);
    expect(await sequences({ subjectId: subject })).toEqual([3, 1]);
    expect(await sequences({ subjectId: subject, identityId: identity })).toEqual([3]);
  });

  it('continues after the events that it examined without a match', async () => {
    await happened([{ type: 'user.created' }, {}, {}, {}]);
    const first = await list({ types: ['user.created'] }, 2);
    expect(first).toEqual({ rows: [], next: 3 });
    const second = await list({ types: ['user.created'], before: first.next }, 2);
    expect([second.rows.map(({ sequence }) => sequence), second.next]).toEqual([[1], 1]);
    expect(await list({ types: ['user.created'], before: second.next }, 2)).toEqual({ rows: [], next: undefined });
  });

  it('shows the delivery to each webhook', async () => {
    await happened([{}]);
    const [webhook, delivery] = [newUuid(), newUuid()];
    await fixture.rows(
      `insert into webhooks (id, tenant_id, callback_url, events) values ($1, $2, 'https://x.org', '{*}')`,
      [webhook, tenant],
    );
    await fixture.rows(
      `insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, is_retry)
       values ($1, $2, $3, 1, 'user.updated', 'dead', true)`,
      [delivery, tenant, webhook],
    );
    const { rows } = await list();
    expect(rows[0]?.deliveries).toEqual([{ id: delivery, webhookId: webhook, status: 'dead' }]);
  });

  it('finds an event by its id, whose time is that of the event', async () => {
    const [, second = ''] = await happened([{}, {}, {}]);
    const find = (id: string) => own.database.transaction(tenant, (tx) => findEvent(tx, tenant, id));
    expect(await find(second)).toMatchObject({ sequence: 2, details: { changes: expect.anything() } });
    expect(await find(uuidAt(at(2)))).toBeUndefined();
    expect(await find('ffffffff-ffff-7fff-bfff-ffffffffffff')).toBeUndefined();
  });

  it('returns nothing of another tenant', async () => {
    const [id = ''] = await happened([{}]);
    tenant = await fixture.tenant();
    expect(await list()).toEqual({ rows: [] });
    expect(await own.database.transaction(tenant, (tx) => findEvent(tx, tenant, id))).toBeUndefined();
  });
});
