import { type Message, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { lockOperation, takeUnansweredOperations } from '@idsync/database/directory';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { republishOperations } from '../background/due-work.js';
import { runOperation } from './run-operation.js';

let directory: Harness;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  await directory.fixture.rows('delete from outbox');
});

afterAll(() => directory?.close());

/** Inserts an operation whose message was published at that time. */
async function insertOperation(
  minutesAgo: number,
  type = 'job.undo',
  input: object = { job_id: newUuid(), preview: true },
) {
  const id = newUuid();
  await directory.fixture.rows(
    `insert into operations (id, tenant_id, type, input, announced_at)
     values ($1, $2, $3, $4, now() - $5 * interval '1 minute')`,
    [id, directory.tenant, type, JSON.stringify(input), minutesAgo],
  );
  return id;
}

/** Deletes and returns the requests for operations in the outbox. */
async function takeRequests(): Promise<Message<'directory.operation.requested'>[]> {
  const rows = await directory.fixture.rows<{ type: string; message: string }>(
    'delete from outbox returning type, message',
  );
  return rows.filter(({ type }) => type === 'directory.operation.requested').map(({ message }) => JSON.parse(message));
}

const idsOf = (messages: Message<'directory.operation.requested'>[]) =>
  messages.map(({ data }) => data.operation_id).sort();
const republish = () => republishOperations(directory.database, directory.tenant);

describe('operations with a lost message', () => {
  it('are republished once after 15 minutes, unless they are done', async () => {
    const lost = await insertOperation(16);
    await insertOperation(14);
    const done = await insertOperation(16);
    await directory.fixture.rows(`update operations set status = 'done', result = '{}' where id = $1`, [done]);
    expect(await republish()).toBe(1);
    expect(idsOf(await takeRequests())).toEqual([lost]);
    expect(await republish()).toBe(0);
  });

  it('run once even if the first message arrives later', async () => {
    const hr = await directory.fixture.connector(directory.tenant);
    await directory.sync(hr, [row('1', { email: 'ann@x.org' }), row('2', { email: 'bob@x.org' })]);
    await takeRequests();
    const merged = { into_id: await directory.identityOf('1'), from_ids: [await directory.identityOf('2')] };
    const id = await insertOperation(16, 'identity.merge', { ...merged, reason: 'the same' });
    await republish();
    const again = await takeRequests();
    const first = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } };
    await Promise.all([...again, first].map((message) => runOperation(directory.database, message)));
    expect(await directory.people()).toEqual([['1', '2']]);
    expect((await directory.lastEvents(100)).filter((type) => type === 'identity.merged')).toHaveLength(1);
    expect(await republish()).toBe(0);
  });

  it('are not republished while they run', async () => {
    const id = await insertOperation(16);
    await directory.database.transaction(directory.tenant, async (tx) => {
      await lockOperation(tx, directory.tenant, id);
      expect(await republish()).toBe(0);
    });
    expect(await republish()).toBe(1);
  });

  it('are republished once by two concurrent processes', async () => {
    const lost = await Promise.all(Array.from({ length: 150 }, () => insertOperation(16)));
    const other = await Database.connect({ url: directory.url, service: 'directory' });
    try {
      for (let found = 1; found > 0; ) {
        const both = await Promise.all([republish(), republishOperations(other, directory.tenant)]);
        found = both[0] + both[1];
      }
    } finally {
      await other.close();
    }
    expect(idsOf(await takeRequests())).toEqual(lost.sort());
  });

  it('are republished by the next run if a process is killed during one', async () => {
    const lost = await insertOperation(16);
    const killed = directory.database.transaction(directory.tenant, async (tx) => {
      expect(await takeUnansweredOperations(tx, directory.tenant, 0, 100)).toEqual([{ id: lost }]);
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await directory.fixture.rows('select pg_terminate_backend($1)', [backend?.pid]);
      await tx.query('select 1');
    });
    await expect(killed).rejects.toThrow(/terminating|connection error/);
    expect(await takeRequests()).toEqual([]);
    expect(await republish()).toBe(1);
    expect(idsOf(await takeRequests())).toEqual([lost]);
  });

  it('of other tenants are ignored', async () => {
    await insertOperation(16);
    await directory.newTenant();
    expect(await republish()).toBe(0);
  });
});
