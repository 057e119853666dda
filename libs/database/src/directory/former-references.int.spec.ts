import { newUuid } from '@idsync/contracts';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rowsFetched } from '../../test/rows-fetched.js';
import { eraseFormerReferences, findFormerReferences, saveFormerReferences } from './former-references.js';
import { deleteRecords } from './records.js';

const many = 20_000;
/** Users who no longer have one manager. */
const reports = 10;

/** Returns the id of a manager by number. */
const manager = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

let own: ServiceDatabase;
let tenant: string;

/** Fills a table that is never analysed. */
beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
  tenant = await own.fixture.tenant();
  await own.fixture.rows('alter table former_references set (autovacuum_enabled = off)');
  await own.fixture.rows(
    `insert into former_references (tenant_id, identity_id, record_id, texts)
     select $1, ('00000000-0000-7000-8000-' || lpad((n / ${reports})::text, 12, '0'))::uuid, gen_random_uuid(), array[n::text]
       from generate_series(0, ${many} - 1) n`,
    [tenant],
  );
}, 60_000);

afterAll(() => own?.close());

type Work<Result> = (tx: Parameters<Parameters<ServiceDatabase['database']['transaction']>[1]>[0]) => Promise<Result>;

async function cost<Result>(work: Work<Result>): Promise<{ result: Result; rows: number }> {
  return own.database.transaction(tenant, async (tx) => {
    const before = await rowsFetched(tx, 'former_references');
    const result = await work(tx);
    return { result, rows: (await rowsFetched(tx, 'former_references')) - before };
  });
}

const find = (...ids: string[]) => cost((tx) => findFormerReferences(tx, tenant, ids));

describe('former references in a table that was never analysed', () => {
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
          tenant,
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
    const { rows } = await cost((tx) => eraseFormerReferences(tx, tenant, [manager(11)], [other]));
    expect(rows).toBeLessThanOrEqual(reports + 1);
    expect((await find(manager(11))).result).toEqual([]);
    const left = (await find(manager(12))).result;
    expect(left).toHaveLength(reports);
    expect(left.filter(({ texts }) => texts.length === 0)).toMatchObject([{ recordId: other.recordId }]);
  });
});
