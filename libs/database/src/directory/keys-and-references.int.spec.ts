import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../test/rows-fetched.js';
import type { Transaction } from '../database.js';
import { assignKeys, type CorrelationKey, lockKeys, releaseKeys } from './correlation-keys.js';
import {
  eraseFormerReferences,
  findFormerReferences,
  findKeyHolders,
  findUsersByExternalId,
  saveFormerReferences,
} from './machine-references.js';
import { countAdditions, findReplacedAnchors } from './planned-additions.js';
import { deleteRecords } from './records.js';
import { findComparable, saveWeakKeys } from './weak-keys.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
});

afterAll(() => own?.close());

describe('records that can match', () => {
  it('are found by two look-ups for each value, however many of their source share it', async () => {
    const tenant = await own.fixture.tenant();
    const [hr, ad] = [newUuid(), newUuid()];
    const namesakes = Array.from({ length: 1_000 }, () => newUuid());
    const [alone = '', alike = ''] = namesakes;
    await own.database.transaction(tenant, async (tx) => {
      const named = namesakes.map((id) => ({ id, connectorId: hr, isNew: true, values: ['full_name AN L'] }));
      await saveWeakKeys(tx, named);
      await saveWeakKeys(tx, [
        { id: alike, connectorId: hr, isNew: false, values: ['phone 1'] },
        { id: newUuid(), connectorId: ad, isNew: true, values: ['phone 1'] },
      ]);
    });
    await own.database.transaction(tenant, async (tx) => {
      const before = await rowsFetched(tx, 'weak_keys');
      expect(await findComparable(tx, [alone, alike])).toEqual(new Set([alike]));
      expect((await rowsFetched(tx, 'weak_keys')) - before).toBeLessThan(10);
    });
  });
});

describe('the plan of a source that replaces all ids', () => {
  const many = 5_000;
  const job = newUuid();
  let tenant: string;
  let connector: string;

  /** Rows that a read fetches, as the directory's role under row-level security, on tables without statistics. */
  async function cost<Found>(read: (tx: Transaction) => Promise<Found>): Promise<{ found: Found; rows: number }> {
    return own.database.transaction(tenant, async (tx) => {
      const fetched = async () => {
        const [seen] = await tx.query<{ count: number }>(
          `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint as count from pg_stat_xact_user_tables`,
        );
        return Number(seen?.count);
      };
      const before = await fetched();
      const found = await read(tx);
      return { found, rows: (await fetched()) - before };
    });
  }

  beforeAll(async () => {
    tenant = await own.fixture.tenant();
    connector = await own.fixture.connector(tenant);
    await own.fixture.rows('insert into sync_plans (job_id, tenant_id, connector_id) values ($1, $2, $3)', [
      job,
      tenant,
      connector,
    ]);
    for (const action of ['create', 'delete']) {
      await own.fixture.rows(
        `insert into sync_plan_entries
            (job_id, tenant_id, seq, action, record_id, kind, external_id, identity_id, changes, incoming, resembles_id, resembles_by)
         select $1, $2, 0, $3, md5($3 || n)::uuid, 'user', $3 || n, case $3 when 'delete' then md5(n::text)::uuid end, '[]',
                case $3 when 'create' then '{}' end, case $3 when 'create' then md5(n::text)::uuid end,
                case $3 when 'create' then 'employee_number' end
           from generate_series(1, ${many}) as n`,
        [job, tenant, action],
      );
    }
  });

  it('pairs a page of creations with deletions by one index lookup for each', async () => {
    const { found, rows } = await cost((tx) =>
      findReplacedAnchors(tx, job, { first: 2_001, beyond: 2_501, kinds: ['employee_number'] }),
    );
    expect(found).toHaveLength(500);
    expect(rows).toBeLessThan(2_500);
  });

  it('is counted by reading each entry a few times', async () => {
    const { found, rows } = await cost((tx) => countAdditions(tx, { id: job, connectorId: connector }));
    expect(found).toEqual({ created: many, changed: [], rekeyed: [{ field: 'employee_number', count: many }] });
    expect(rows).toBeLessThan(10 * many);
  });

  it('is counted as cheaply if the run cannot know which records are gone', async () => {
    await own.fixture.rows(`delete from sync_plan_entries where action = 'delete'`);
    const { found, rows } = await cost((tx) =>
      countAdditions(tx, { id: job, connectorId: connector }, ['employee_number']),
    );
    expect(found).toEqual({ created: many, changed: [], rekeyed: [] });
    expect(rows).toBeLessThan(10 * many);
  });
});

describe('correlation keys', () => {
  let tenant: string;

  beforeEach(async () => {
    tenant = await own.fixture.tenant();
  });

  const mail = (value: string): CorrelationKey => ({ kind: 'email', value });
  const ann = mail('ann@x.org');
  const bob = mail('bob@x.org');

  it('are assigned to the expected identity while they have none', async () => {
    const [expectedId, identityId] = [newUuid(), newUuid()];
    await own.database.transaction(tenant, async (tx) => {
      expect(await lockKeys(tx, [{ ...ann, expectedId }])).toEqual([{ ...ann, expectedId }]);
    });
    await own.database.transaction(tenant, async (tx) => {
      await lockKeys(tx, [ann]);
      await assignKeys(tx, [{ ...ann, identityId }]);
    });
    const held = await own.database.transaction(tenant, (tx) =>
      lockKeys(tx, [
        { ...bob, expectedId },
        { ...ann, expectedId },
      ]),
    );
    expect(held).toHaveLength(2);
    expect(held).toEqual(
      expect.arrayContaining([
        { ...ann, identityId },
        { ...bob, expectedId },
      ]),
    );
  });

  it('are locked after waiting for another transaction, even if that one deleted them', async () => {
    await own.database.transaction(tenant, async (tx) => {
      await lockKeys(tx, [ann]);
      await assignKeys(tx, [{ ...ann, identityId: newUuid() }]);
    });
    let waiting: Promise<unknown> | undefined;
    await own.database.transaction(tenant, async (tx) => {
      await lockKeys(tx, [ann]);
      waiting = own.database.transaction(tenant, (other) => lockKeys(other, [ann, bob]));
      await own.fixture.waitForBlockedLock();
      await releaseKeys(tx, [ann]);
    });
    expect(await waiting).toEqual(expect.arrayContaining([ann, bob]));
    expect(
      await own.fixture.rows('select value from correlation_keys where tenant_id = $1 order by 1', [tenant]),
    ).toEqual([{ value: 'ann@x.org' }, { value: 'bob@x.org' }]);
  });
});

describe('former references in a table that was never analysed', () => {
  const many = 20_000;
  /** Users who no longer have one manager. */
  const reports = 10;

  /** Returns the id of a manager by number. */
  const manager = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

  let tenant: string;

  /** Fills a table that is never analysed. */
  beforeAll(async () => {
    tenant = await own.fixture.tenant();
    await own.fixture.rows('alter table former_references set (autovacuum_enabled = off)');
    await own.fixture.rows(
      `insert into former_references (tenant_id, identity_id, record_id, texts)
       select $1, ('00000000-0000-7000-8000-' || lpad((n / ${reports})::text, 12, '0'))::uuid, gen_random_uuid(), array[n::text]
         from generate_series(0, ${many} - 1) n`,
      [tenant],
    );
  }, 60_000);

  type Work<Result> = (tx: Parameters<Parameters<ServiceDatabase['database']['transaction']>[1]>[0]) => Promise<Result>;

  async function cost<Result>(work: Work<Result>): Promise<{ result: Result; rows: number }> {
    return own.database.transaction(tenant, async (tx) => {
      const before = await rowsFetched(tx, 'former_references');
      const result = await work(tx);
      return { result, rows: (await rowsFetched(tx, 'former_references')) - before };
    });
  }

  const find = (...ids: string[]) => cost((tx) => findFormerReferences(tx, ids));

  it('are found by the people', async () => {
    const { result, rows } = await find(manager(7), manager(9));
    expect(result).toHaveLength(2 * reports);
    expect(rows).toBeLessThanOrEqual(2 * reports);
  });

  it('are stored with the texts that each record had for a person, without duplicates', async () => {
    const [recordId, identityId] = [newUuid(), newUuid()];
    const save = (...names: (string | undefined)[]) =>
      cost((tx) =>
        saveFormerReferences(
          tx,
          names.map((text) => ({ recordId, identityId, text })),
        ),
      );
    await save(undefined);
    await save('a', 'b', 'a');
    await save('b', 'c');
    const { rows } = await save('c');
    expect(rows).toBeLessThanOrEqual(1);
    const { result } = await find(identityId);
    expect(result.map(({ texts }) => [...texts].sort())).toEqual([['a', 'b', 'c']]);
  });

  it('are deleted with their records', async () => {
    const found = (await find(manager(14))).result.map(({ recordId }) => recordId);
    const { rows } = await cost((tx) => deleteRecords(tx, found));
    expect(rows).toBeLessThanOrEqual(reports);
    expect((await find(manager(14))).result).toEqual([]);
  });

  it('are erased for these people, and by text for others', async () => {
    const [other] = (await find(manager(12))).result;
    if (!other) throw new Error('there is no former reference');
    const { rows } = await cost((tx) => eraseFormerReferences(tx, [manager(11)], [other]));
    expect(rows).toBeLessThanOrEqual(reports + 1);
    expect((await find(manager(11))).result).toEqual([]);
    const left = (await find(manager(12))).result;
    expect(left).toHaveLength(reports);
    expect(left.filter(({ texts }) => texts.length === 0)).toMatchObject([{ recordId: other.recordId }]);
  });
});

describe('a look-up of machine references in tables that were never analysed', () => {
  const many = Number(process.env.MANY_RECORDS ?? 20_000);
  const wanted = Array.from({ length: 500 }, (_, at) => String(at * 7));
  const present = wanted.filter((value) => value !== '0').length;
  const [people, others] = [newUuid(), newUuid()];

  let tenant: string;

  /** Fills tables that are never analysed, as they are during a first import. */
  beforeAll(async () => {
    tenant = await own.fixture.tenant();
    for (const table of ['correlation_keys', 'source_records'])
      await own.fixture.rows(`alter table ${table} set (autovacuum_enabled = off)`);
    await own.fixture.rows(
      `insert into correlation_keys (tenant_id, kind, value, identity_id)
       select $1, kind, n::text, case when n = 14 then null else gen_random_uuid() end
         from generate_series(1, ${many}) n, unnest('{employee_number,username}'::text[]) kind`,
      [tenant],
    );
    await own.fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
         created_at, updated_at, document, last_job_id, last_seq, status_since)
       select gen_random_uuid(), $1, 'user', connector, n::text, 'active', '', '{}', '{}', now(), now(), '{}', $2, 1, now()
         from generate_series(1, ${many}) n, unnest($3::uuid[]) connector`,
      [tenant, people, [people, others]],
    );
  }, 120_000);

  async function cost<Found>(
    table: string,
    read: (tx: Parameters<Parameters<ServiceDatabase['database']['transaction']>[1]>[0]) => Promise<Found[]>,
  ): Promise<{ found: Found[]; rows: number }> {
    return own.database.transaction(tenant, async (tx) => {
      const before = await rowsFetched(tx, table);
      const found = await read(tx);
      return { found, rows: (await rowsFetched(tx, table)) - before };
    });
  }

  it('finds the holders of match keys by one index lookup for each, and no key without a holder', async () => {
    const { found, rows } = await cost('correlation_keys', (tx) =>
      findKeyHolders(tx, ['employee_number', 'email'], wanted),
    );
    expect(found).toHaveLength(present - 1);
    expect(rows).toBeLessThanOrEqual(2 * wanted.length);
  });

  it('finds users by external id in several sources by one index lookup for each', async () => {
    const { found, rows } = await cost('source_records', (tx) =>
      findUsersByExternalId(tx, [people, newUuid()], wanted),
    );
    expect(found).toHaveLength(present);
    expect(rows).toBeLessThanOrEqual(2 * wanted.length);
  });
});
