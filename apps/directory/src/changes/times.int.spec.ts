import { newUuid } from '@idsync/contracts';
import { Database, isUnavailable, type Transaction } from '@idsync/database';
import { findDocuments, findIdentityAt } from '@idsync/database/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { ProposedTimes } from '../batch/proposed-times.js';
import { WorkGate } from '../batch/work-gate.js';
import { DirectoryConsumer } from '../directory.consumer.js';

let directory: Harness;
let gateway: Database;
let hr: string;
let job: string;

beforeAll(async () => {
  directory = await Harness.create();
  gateway = await Database.connect({ url: directory.url, service: 'gateway' });
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant);
  job = await directory.fixture.job(directory.tenant, hr, 'running');
});

afterAll(async () => {
  await gateway?.close();
  await directory?.close();
});

const person = (id: string, title: string) =>
  row(id, { first_name: 'Ann', email: `${id}@example.com`, job_title: title });

/** New people who make a batch so large that it is written before it has the lock of the tenant's sequence. */
const crowd = (seq: number) =>
  Array.from({ length: 100 }, (_, n) => row(`other-${seq}-${n}`, { last_name: `Other ${seq} ${n}` }));

async function apply(seq: number, records: ReturnType<typeof row>[]): Promise<void> {
  const consumer = new DirectoryConsumer(directory.database, new WorkGate(), new ProposedTimes());
  await consumer.apply(await directory.fixture.batch(directory.tenant, hr, job, seq, records), {
    queue: 'directory.batches',
    attempt: 1,
  });
}

const limit = 200;

/** A client that requests the changes since the latest `updated_at` it has seen. */
class Poller {
  readonly titles = new Map<string, string>();
  private latest = new Date(0);

  constructor(private readonly list: 'identity' | 'user') {}

  async poll(): Promise<void> {
    const updatedSince = this.latest;
    for (let offset = 0, read = limit; read === limit; offset += limit) {
      const { items } = await findDocuments(gateway, directory.tenant, this.list, { limit, offset, updatedSince });
      const page = JSON.parse(`[${items}]`);
      for (const item of page) {
        const user = this.list === 'user' ? item : item.users[0];
        if (user.job_title !== undefined) this.titles.set(user.external_id, user.job_title);
        this.latest = new Date(Math.max(this.latest.getTime(), Date.parse(item.updated_at)));
      }
      read = page.length;
    }
  }
}

/** Keeps a transaction open after `work`; `release` rolls it back. */
async function hold(work: (tx: Transaction) => Promise<unknown>): Promise<{ release: () => Promise<void> }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ready = () => {};
  const isHeld = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const holding = directory.database
    .transaction(directory.tenant, async (tx) => {
      await work(tx);
      ready();
      await released;
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  await isHeld;
  return {
    release: async () => {
      release();
      await holding;
    },
  };
}

/** Holds a match key, for which a batch with this address waits before it has its time. */
const holdKey = (email: string) =>
  hold((tx) =>
    tx.query('insert into correlation_keys (tenant_id, kind, value, identity_id) values ($1, $2, $3, $4)', [
      directory.tenant,
      'email',
      email,
      newUuid(),
    ]),
  );

/** Holds the totals, for which a batch with a new person waits when it has its time. */
const holdTotals = () =>
  hold((tx) => tx.query('select from directory_counters where tenant_id = $1 for update', [directory.tenant]));

const lists = [
  ['identities', 'small', 'identity', () => []],
  ['users', 'small', 'user', () => []],
  ['identities', 'large', 'identity', crowd],
  ['users', 'large', 'user', crowd],
] as const;

describe('a client that remembers the latest updated_at', () => {
  it.each(lists)('misses no batch that began earlier and ended later: %s, %s batches', async (_, __, list, more) => {
    const poller = new Poller(list);
    const held = await holdKey('slow@example.com');
    const slow = apply(0, [person('slow', 'Clerk'), ...more(0)]);
    await directory.fixture.waitForBlockedLock();
    await apply(1, [person('fast', 'Clerk'), ...more(1)]);
    await poller.poll();
    expect([...poller.titles.keys()]).toEqual(['fast']);
    await held.release();
    await slow;
    await poller.poll();
    expect([...poller.titles.keys()].sort()).toEqual(['fast', 'slow']);
  });

  it.each(lists)('misses no change while several batches are applied: %s, %s batches', async (_, __, list, more) => {
    const poller = new Poller(list);
    const ids = Array.from({ length: 12 }, (_, n) => `p${n}`);
    let seq = 0;
    let open = true;
    const lane = async (own: string[]) => {
      for (const title of ['Clerk', 'Chief', 'Boss']) {
        for (const id of own) {
          seq += 1;
          await apply(seq, [person(id, title), ...more(seq)]);
        }
      }
    };
    const applied = Promise.all([0, 1, 2].map((n) => lane(ids.filter((_, at) => at % 3 === n)))).finally(() => {
      open = false;
    });
    const poll = async () => {
      for (const end = Date.now() + 240_000; open && Date.now() < end; ) await poller.poll();
    };
    await Promise.all([applied, poll()]);
    await poller.poll();
    expect(Object.fromEntries(poller.titles)).toEqual(Object.fromEntries(ids.map((id) => [id, 'Boss'])));
  });
});

describe('the times of a tenant', () => {
  it('follow the order of commits, in documents, versions and events', async () => {
    const held = await holdKey('slow@example.com');
    const slow = apply(0, [person('slow', 'Clerk')]);
    await directory.fixture.waitForBlockedLock();
    await apply(1, [person('fast', 'Clerk')]);
    await held.release();
    await slow;
    await apply(2, [person('slow', 'Chief')]);
    const rows = await directory.fixture.rows<{ times: number[] }>(
      `select array_agg(distinct extract(epoch from occurred_at)::float8 order by extract(epoch from occurred_at)::float8) as times,
              array_agg(distinct sequence order by sequence) as sequences
         from events where tenant_id = $1 group by job_id`,
      [directory.tenant],
    );
    expect(rows[0]?.times).toHaveLength(3);
    const steps = await directory.fixture.rows(
      `select from events a join events b using (tenant_id) where tenant_id = $1 and a.sequence < b.sequence and a.occurred_at > b.occurred_at`,
      [directory.tenant],
    );
    expect(steps).toEqual([]);
    const [times] = await directory.fixture.rows<Record<string, Date>>(
      `select r.created_at as created, i.created_at as identity, v.valid_until as until, r.updated_at as updated,
              (r.changed_at ->> 'job_title')::timestamptz as title,
              (select max(occurred_at) from events where tenant_id = r.tenant_id) as last,
              (select min(occurred_at) from events where subject_id = r.id) as first
         from source_records r join identities i on i.id = r.identity_id join identity_versions v on v.identity_id = i.id
        where r.tenant_id = $1 and r.external_id = 'slow'`,
      [directory.tenant],
    );
    expect(times?.created).toEqual(times?.first);
    expect(times?.identity).toEqual(times?.first);
    for (const name of ['until', 'updated', 'title']) expect(times?.[name]).toEqual(times?.last);
  });
});

describe('the answer for a past time', () => {
  const clock = async () => {
    const [row] = await directory.fixture.rows<{ now: Date }>('select clock_timestamp() as now');
    if (!row) throw new Error('PostgreSQL returned no time');
    return row.now;
  };
  const titleAt = async (id: string, time: Date) => {
    const { document } = await findIdentityAt(gateway, directory.tenant, id, time);
    return document === undefined ? undefined : JSON.parse(document).users[0].job_title;
  };

  it('stays the same when a batch ends that has no time yet', async () => {
    await apply(0, [person('ann', 'Clerk')]);
    const ann = await directory.identityOf('ann');
    const held = await holdKey('new@example.com');
    const change = apply(1, [person('ann', 'Chief'), person('new', 'Clerk')]);
    await directory.fixture.waitForBlockedLock();
    const time = await clock();
    expect(await titleAt(ann, time)).toBe('Clerk');
    await held.release();
    await change;
    expect(await titleAt(ann, time)).toBe('Clerk');
    expect(await titleAt(ann, await clock())).toBe('Chief');
  });

  it('stays the same when a large batch ends that has proposed an earlier time', async () => {
    await apply(0, [person('ann', 'Clerk')]);
    const ann = await directory.identityOf('ann');
    const held = await hold((tx) => tx.query('lock table identity_versions in exclusive mode'));
    const change = apply(1, [person('ann', 'Chief'), ...crowd(1)]);
    await directory.fixture.waitForBlockedLock();
    const time = await clock();
    expect(await titleAt(ann, time)).toBe('Clerk');
    await held.release();
    await change;
    expect([await titleAt(ann, time), await titleAt(ann, await clock())]).toEqual(['Clerk', 'Chief']);
  });

  it('waits for a batch that has an earlier time, and includes its changes', async () => {
    await apply(0, [person('ann', 'Clerk')]);
    const ann = await directory.identityOf('ann');
    const before = await clock();
    expect(await titleAt(ann, before)).toBe('Clerk');
    const held = await holdTotals();
    const change = apply(1, [person('ann', 'Chief'), person('new', 'Clerk')]);
    await directory.fixture.waitForBlockedLock();
    const time = await clock();
    expect(await titleAt(ann, before)).toBe('Clerk');
    const asked = titleAt(ann, time);
    await held.release();
    expect(await asked).toBe('Chief');
    await change;
    expect([await titleAt(ann, before), await titleAt(ann, time)]).toEqual(['Clerk', 'Chief']);
  });

  it('is refused as unavailable if such a batch takes more than five seconds to end', async () => {
    await apply(0, [person('ann', 'Clerk')]);
    const held = await holdTotals();
    const change = apply(1, [person('new', 'Clerk')]);
    await directory.fixture.waitForBlockedLock();
    const refused = await titleAt(await directory.identityOf('ann'), await clock()).catch((error) => error);
    await held.release();
    await change;
    expect(isUnavailable(refused)).toBe(true);
  });

  it('does not exist for a time in the future', async () => {
    await apply(0, [person('ann', 'Clerk')]);
    const found = await findIdentityAt(
      gateway,
      directory.tenant,
      await directory.identityOf('ann'),
      new Date('2200-01-01'),
    );
    expect(found.isFuture).toBe(true);
  });

  it('stays the same when merges follow each other and are reverted', async () => {
    for (const [seq, id] of ['ann', 'bea', 'cleo'].entries()) await apply(seq, [person(id, id)]);
    const [ann, bea, cleo] = [
      await directory.identityOf('ann'),
      await directory.identityOf('bea'),
      await directory.identityOf('cleo'),
    ];
    const answers: [Date, (string | undefined)[]][] = [];
    const shown = async (time: Date) => {
      const all = [ann, bea, cleo].map(
        async (id) => (await findIdentityAt(gateway, directory.tenant, id, time)).document,
      );
      return Promise.all(all);
    };
    const note = async () => {
      const time = await clock();
      answers.push([time, await shown(time)]);
    };
    await note();
    const first = await directory.operate('identity.merge', { into_id: bea, from_ids: [ann] });
    await note();
    const second = await directory.operate('identity.merge', { into_id: cleo, from_ids: [bea] });
    await note();
    await directory.operate('operation.revert', { operation_id: second.id });
    await note();
    await directory.operate('operation.revert', { operation_id: first.id });
    await note();
    for (const [time, documents] of answers) expect(await shown(time)).toEqual(documents);
    expect(answers.map(([, [, document]]) => JSON.parse(String(document)).users.length)).toEqual([1, 2, 3, 2, 1]);
  });
});
