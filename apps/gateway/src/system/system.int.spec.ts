import { encodeId, newUuid } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

beforeEach(() => gateway.fixture.rows('truncate bus_messages, outbox restart identity'));

const system = async () => (await gateway.operator('GET', '/system')).body;
const list = async (query = '') => (await gateway.operator('GET', `/system/dead-letters${query}`)).body;
const act = (id: string, verb: string, body?: object) =>
  gateway.operator('POST', `/system/dead-letters/${id}/${verb}`, body);

/** Inserts dead letters of a queue, and one that waits. */
async function dead(queue: string, count: number, type = 'sync.batch.ready'): Promise<void> {
  const message = JSON.stringify({ id: newUuid(), tenant_id: newUuid(), data: { job_id: newUuid(), seq: 1 } });
  await gateway.fixture.rows(
    `insert into bus_messages (queue, message_id, type, message, attempts, dead_at, dead_reason)
     select $1, gen_random_uuid(), $2, $3, 10, case when n <= $4 then now() end, 'no record ' || n
       from generate_series(1, $4 + 1) as n`,
    [queue, type, message, count],
  );
}

/** Messages with this id that are on their way; the relay moves them from the outbox to their queue. */
const sent = (messageId: string) =>
  gateway.fixture.rows<{ type: string }>(
    `select type from outbox where message_id = $1
     union all select type from bus_messages where message_id = $1 and dead_at is null and attempts = 0`,
    [messageId],
  );
const acts = async (action: string): Promise<Body[]> =>
  (await gateway.operator('GET', `/audit?action=${action}`)).body.data;

describe('the state of the installation', () => {
  it('has versions, this process and all queues', async () => {
    await dead('directory.batches', 3);
    const found = await until(async () => {
      const state = await system();
      return state.processes.length > 0 && state;
    }, 'a process');
    expect(found).toMatchObject({
      versions: { idsync: expect.stringMatching(/^\d/), node: process.versions.node, schema_state: 'current' },
      broker: { kind: 'postgresql', connected: true },
      fan_out: { tenants: 0, events: 0 },
    });
    expect(found.versions.postgresql).toMatch(/^\d+(\.\d+)?$/);
    expect(found.processes).toMatchObject([
      {
        service: 'gateway',
        version: found.versions.idsync,
        responding: true,
        broker_connected: true,
        outbox_messages: 0,
      },
    ]);
    expect(found.queues).toContainEqual({
      name: 'directory.batches',
      service: 'directory',
      messages: 1,
      lag_seconds: expect.any(Number),
      dead_letters: 3,
    });
  });

  it('marks a process that no longer reports', async () => {
    await gateway.fixture.rows(
      `insert into service_processes
         (id, service, version, host, started_at, seen_at, broker_connected, outbox_messages, outbox_lag_seconds)
       select gen_random_uuid(), 'directory', '0.1.0', 'old', now(), now() - silent, true, 0, 0
         from unnest('{2 minutes,2 days}'::interval[]) as silent`,
    );
    const { processes } = await system();
    expect(processes.filter(({ host }: Body) => host === 'old')).toMatchObject([{ responding: false }]);
  });

  it('counts the events that are not fanned out', async () => {
    const { id } = (await gateway.operator('POST', '/tenants', { name: 'Behind' })).body;
    await gateway.fixture.rows(`update event_sequences set last = 5`);
    expect((await system()).fan_out).toEqual({ tenants: 1, events: 5 });
    expect(id).toMatch(/^ten_/);
  });
});

describe('dead letters', () => {
  it('are listed in pages, the newest first, of all queues or one', async () => {
    await dead('directory.batches', 3);
    await dead('directory.sweeps', 2);
    const pages: Body[] = [await list('?limit=2')];
    while (pages.at(-1).next_cursor) pages.push(await list(`?limit=2&cursor=${pages.at(-1).next_cursor}`));
    const all = pages.flatMap(({ data }) => data);
    expect(pages).toHaveLength(3);
    expect(all.map(({ queue, reason }) => `${queue} ${reason}`)).toEqual([
      'directory.sweeps no record 2',
      'directory.sweeps no record 1',
      'directory.batches no record 3',
      'directory.batches no record 2',
      'directory.batches no record 1',
    ]);
    expect((await list('?queue=directory.sweeps')).data).toEqual(all.slice(0, 2));
    expect((await gateway.operator('GET', '/system/dead-letters?queue=other')).status).toBe(400);
  });

  it('are shown with their message', async () => {
    await dead('directory.batches', 1);
    const [letter] = (await list()).data;
    const { body } = await gateway.operator('GET', `/system/dead-letters/${letter.id}`);
    expect(body).toMatchObject({ ...letter, message: { data: { seq: 1 } } });
  });

  it('are sent again once, with their id, and recorded', async () => {
    await dead('directory.batches', 1);
    const [letter] = (await list()).data;
    const answers = await Promise.all([1, 2, 3].map(() => act(letter.id, 'requeue')));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    expect(await sent(letter.message_id)).toEqual([{ type: 'sync.batch.ready' }]);
    expect((await list()).data).toEqual([]);
    const recorded = await acts('requeueSystemDeadLetter');
    expect(recorded.filter(({ outcome }) => outcome === 'accepted')).toMatchObject([
      { resource: letter.id, before: { queue: 'directory.batches', reason: 'no record 1' } },
    ]);
  });

  it('stay if no queue receives their type', async () => {
    await dead('directory.batches', 1, 'from.the.future');
    const [letter] = (await list()).data;
    expect(letter.can_requeue).toBe(false);
    expect(await act(letter.id, 'requeue')).toEqual({
      status: 400,
      body: { error: 'no queue receives messages of the type from.the.future' },
    });
    expect((await list()).data).toEqual([letter]);
    expect(await sent(letter.message_id)).toEqual([]);
  });

  it('are discarded with a reason, which is recorded', async () => {
    await dead('directory.batches', 1);
    const [letter] = (await list()).data;
    expect((await act(letter.id, 'discard', {})).status).toBe(400);
    expect((await act(letter.id, 'discard', { reason: 'the job was repeated' })).status).toBe(204);
    expect((await act(letter.id, 'discard', { reason: 'again' })).status).toBe(404);
    expect((await list()).data).toEqual([]);
    expect(await sent(letter.message_id)).toEqual([]);
    expect((await acts('discardSystemDeadLetter')).filter(({ outcome }) => outcome === 'accepted')).toMatchObject([
      { resource: letter.id, reason: 'the job was repeated', before: { message_id: letter.message_id } },
    ]);
  });

  it('do not include a message that waits', async () => {
    await dead('directory.batches', 0);
    const waiting = encodeId('deadLetter', '00000000-0000-0000-0000-000000000001');
    expect((await act(waiting, 'requeue')).status).toBe(404);
    expect((await list()).data).toEqual([]);
  });
});
