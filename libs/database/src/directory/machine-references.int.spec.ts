import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../test/rows-fetched.js';
import { findKeyHolders, findUsersByExternalId } from './machine-references.js';

const many = Number(process.env.MANY_RECORDS ?? 20_000);
const wanted = Array.from({ length: 500 }, (_, at) => String(at * 7));
const present = wanted.filter((value) => value !== '0').length;
const [people, others] = [newUuid(), newUuid()];

let own: ServiceDatabase;
let tenant: string;

/** Fills tables that are never analysed, as they are during a first import. */
beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
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

afterAll(() => own?.close());

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

describe('a look-up of machine references in tables that were never analysed', () => {
  it('finds the holders of match keys by one index lookup for each, and no key without a holder', async () => {
    const { found, rows } = await cost('correlation_keys', (tx) =>
      findKeyHolders(tx, tenant, ['employee_number', 'email'], wanted),
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
