import type { Transaction } from '@idsync/database';
import {
  findManagerCandidates,
  findManagerCycles,
  findOtherFacts,
  findOthersAfter,
  findReferringUsers,
  findUnresolved,
  findUserFacts,
  findUsersAfter,
  openFindings,
} from '@idsync/database/directory';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../test/harness.js';

const people = 20_000;
const part = 100;

let directory: Harness;
let hr: string;
let logins: string;

/** The id of a row by its number: users begin with 1, accounts with 2, identities with 3. */
const id = (table: number, nth: number) => `0000000${table}-0000-7000-8000-${String(nth).padStart(12, '0')}`;

beforeAll(async () => {
  directory = await Harness.create();
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant);
  logins = await directory.fixture.connector(directory.tenant, { records: 'account' });
  const { fixture, tenant } = directory;
  const numbered = `(select n, lpad(n::text, 12, '0') as digits from generate_series(1, ${people}) as n) as row`;
  await fixture.rows('alter table source_records set (autovacuum_enabled = off)');
  await fixture.rows(
    `insert into identities (id, tenant_id, status, created_at, updated_at, document)
     select ('00000003-0000-7000-8000-' || digits)::uuid, $1, case when n % 10 = 0 then 'inactive' else 'active' end,
            '2026-01-01', '2026-01-01', '{}' from ${numbered}`,
    [tenant],
  );
  for (const [kind, table, connector] of [
    ['user', 1, hr],
    ['account', 2, logins],
  ]) {
    await fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash,
              fields, changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since, manager_id)
       select ('0000000${table}-0000-7000-8000-' || digits)::uuid, $1, $2, $3, n::text,
              ('00000003-0000-7000-8000-' || digits)::uuid, 'active', '',
              jsonb_build_object('manager_id', jsonb_build_array((n / 7 + 1)::text)), '{}', '2026-01-01', '2026-01-01', '{}',
              $3, 0, '2026-01-01', ('00000003-0000-7000-8000-' || lpad((n / 7 + 1)::text, 12, '0'))::uuid
         from ${numbered}`,
      [tenant, kind, connector],
    );
  }
  await fixture.rows(
    `insert into correlation_keys (tenant_id, kind, value, identity_id)
     select $1, 'employee_number', n::text, ('00000003-0000-7000-8000-' || digits)::uuid from ${numbered}`,
    [tenant],
  );
  await fixture.rows(
    `insert into findings (id, tenant_id, kind, subject_id, evidence, opened_at)
     select ('00000002-0000-7000-8000-' || digits)::uuid, $1, 'leaver_with_account',
            ('00000002-0000-7000-8000-' || digits)::uuid, '{}', '2026-01-01' from ${numbered}`,
    [tenant],
  );
});

afterAll(() => directory?.close());

/** Rows that a query fetches, on tables without statistics. */
async function cost(read: (tx: Transaction) => Promise<unknown>): Promise<number> {
  const { database, tenant } = directory;
  return database.transaction(tenant, async (tx) => {
    const fetched = async () => {
      const [row] = await tx.query<{ count: number }>(
        `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint as count from pg_stat_xact_user_tables`,
      );
      return row?.count ?? Number.NaN;
    };
    const before = await fetched();
    expect(await read(tx)).toBeTruthy();
    return (await fetched()) - before;
  });
}

const range = (table: number) => Array.from({ length: part }, (_, nth) => id(table, people / 2 + nth));

describe('a part of a pass over a large tenant', () => {
  const reads: Record<string, (tx: Transaction) => Promise<unknown>> = {
    'the next users': (tx) => findUsersAfter(tx, { afterAt: new Date('2026-01-01'), afterId: id(1, 9_000) }, part),
    'the next accounts': (tx) => findOthersAfter(tx, id(2, 9_000), part),
    'facts about users': (tx) => findUserFacts(tx, range(1), { ranks: new Map([[hr, 1]]), employments: [hr] }),
    'facts about accounts': (tx) => findOtherFacts(tx, range(2), [hr]),
    'users with a manager': (tx) => findReferringUsers(tx, range(1)),
    'candidates for managers': (tx) =>
      findManagerCandidates(
        tx,
        { kinds: ['employee_number', 'email'], connectorIds: [hr] },
        range(1).map((recordId, nth) => ({ recordId, connectorId: hr, text: String(nth), value: String(nth) })),
      ),
    'cycles of managers': (tx) => findManagerCycles(tx, range(3), new Map([[hr, 1]])),
    'the next findings': (tx) => findUnresolved(tx, id(2, 9_000), part),
    'known findings': (tx) =>
      openFindings(
        tx,
        range(2).map((subjectId) => ({ kind: 'leaver_with_account', subjectId, evidence: {} })),
        new Date(),
      ),
  };

  it.each(Object.keys(reads))('reads a bounded number of rows for %s', async (name) => {
    const read = reads[name] as (tx: Transaction) => Promise<unknown>;
    expect(await cost(read)).toBeLessThan(part * 15);
  });
});
