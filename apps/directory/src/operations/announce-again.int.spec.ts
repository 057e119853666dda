import { type Message, newUuid } from '@idsync/contracts';
import { Database, lockOperation, takeUnansweredOperations } from '@idsync/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { announceAgain } from './announce-again.js';
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

/** An operation whose message went out so long ago. */
async function asked(minutesAgo: number, type = 'job.undo', input: object = { job_id: newUuid(), preview: true }) {
  const id = newUuid();
  await directory.fixture.rows(
    `insert into operations (id, tenant_id, type, input, announced_at)
     values ($1, $2, $3, $4, now() - $5 * interval '1 minute')`,
    [id, directory.tenant, type, JSON.stringify(input), minutesAgo],
  );
  return id;
}

/** Takes the messages that ask for operations out of the outbox. */
async function announced(): Promise<Message<'directory.operation.requested'>[]> {
  const rows = await directory.fixture.rows<{ type: string; message: string }>(
    'delete from outbox returning type, message',
  );
  return rows.filter(({ type }) => type === 'directory.operation.requested').map(({ message }) => JSON.parse(message));
}

const idsOf = (messages: Message<'directory.operation.requested'>[]) =>
  messages.map(({ data }) => data.operation_id).sort();
const look = () => announceAgain(directory.database, directory.tenant);

describe('operations whose message may be lost', () => {
  it('are announced again after a quarter of an hour, each once, but for those that are done', async () => {
    const lost = await asked(16);
    await asked(14);
    const done = await asked(16);
    await directory.fixture.rows(`update operations set status = 'done', result = '{}' where id = $1`, [done]);
    expect(await look()).toBe(1);
    expect(idsOf(await announced())).toEqual([lost]);
    expect(await look()).toBe(0);
  });

  it('are done once, though the first message comes after all', async () => {
    const hr = await directory.fixture.connector(directory.tenant);
    await directory.sync(hr, [row('1', { email: 'ann@x.org' }), row('2', { email: 'bob@x.org' })]);
    await announced();
    const merged = { into_id: await directory.identityOf('1'), from_ids: [await directory.identityOf('2')] };
    const id = await asked(16, 'identity.merge', { ...merged, reason: 'the same' });
    await look();
    const again = await announced();
    const first = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: id } };
    await Promise.all([...again, first].map((message) => runOperation(directory.database, message)));
    expect(await directory.people()).toEqual([['1', '2']]);
    expect((await directory.lastEvents(100)).filter((type) => type === 'identity.merged')).toHaveLength(1);
    expect(await look()).toBe(0);
  });

  it('are left alone while they are being done', async () => {
    const id = await asked(16);
    await directory.database.transaction(directory.tenant, async (tx) => {
      await lockOperation(tx, directory.tenant, id);
      expect(await look()).toBe(0);
    });
    expect(await look()).toBe(1);
  });

  it('are announced once by two processes that look at the same time', async () => {
    const lost = await Promise.all(Array.from({ length: 150 }, () => asked(16)));
    const other = await Database.connect({ url: directory.url, service: 'directory' });
    try {
      for (let found = 1; found > 0; ) {
        const both = await Promise.all([look(), announceAgain(other, directory.tenant)]);
        found = both[0] + both[1];
      }
    } finally {
      await other.close();
    }
    expect(idsOf(await announced())).toEqual(lost.sort());
  });

  it('are announced by the next look if a process is killed in the middle of one', async () => {
    const lost = await asked(16);
    const killed = directory.database.transaction(directory.tenant, async (tx) => {
      expect(await takeUnansweredOperations(tx, directory.tenant, 0, 100)).toEqual([{ id: lost }]);
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await directory.fixture.rows('select pg_terminate_backend($1)', [backend?.pid]);
      await tx.query('select 1');
    });
    await expect(killed).rejects.toThrow(/terminating|connection error/);
    expect(await announced()).toEqual([]);
    expect(await look()).toBe(1);
    expect(idsOf(await announced())).toEqual([lost]);
  });

  it('of other tenants are not looked at', async () => {
    await asked(16);
    await directory.newTenant();
    expect(await look()).toBe(0);
  });
});
