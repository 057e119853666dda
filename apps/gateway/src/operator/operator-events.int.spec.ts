import { encodeId, newUuid } from '@idsync/contracts';
import { type DirectoryFixture, uuidAt } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let fixture: DirectoryFixture;
let tenant: string;
let path: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  fixture = gateway.fixture;
});

beforeEach(async () => {
  tenant = await fixture.tenant();
  path = `/tenants/${encodeId('tenant', tenant)}`;
});

afterAll(() => gateway?.close());

/** Inserts an event that occurs now. */
async function event(sequence: number, type = 'sync.job.completed'): Promise<string> {
  const id = uuidAt(new Date());
  await fixture.rows(
    `insert into events (tenant_id, sequence, id, type, occurred_at, details)
     values ($1, $2, $3, $4, now(), '{"status":"completed"}')`,
    [tenant, sequence, id, type],
  );
  await fixture.rows('update event_sequences set last = greatest(last, $2) where tenant_id = $1', [tenant, sequence]);
  return encodeId('event', id);
}

describe('events of operators', () => {
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
    const { hours, complete } = body as unknown as { hours: { events: number }[]; complete: boolean };
    expect([hours.length, hours.reduce((sum, { events }) => sum + events, 0), complete]).toEqual([24, 1, true]);
  });

  it('answers 404 for a record that does not exist, and for other ids', async () => {
    for (const id of [encodeId('user', newUuid()), encodeId('job', newUuid()), 'nonsense'])
      expect((await gateway.operator('GET', `${path}/records/${id}`)).status).toBe(404);
  });
});
