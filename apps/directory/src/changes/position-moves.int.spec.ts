import { newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Harness, row } from '../../test/harness.js';
import { guardPositions } from '../../test/position-guard.js';
import { applyDue } from '../background/due-work.js';

const yearMs = 366 * 86_400_000;
let harness: Harness;

beforeAll(async () => {
  harness = await Harness.create();
  await guardPositions(harness.fixture);
});

beforeEach(() => harness.newTenant());

afterAll(() => harness?.close());

const identities = async () =>
  (
    await harness.fixture.rows<{ id: string }>(
      `select id from identities where tenant_id = $1 and status <> 'deleted' order by created_at, id`,
      [harness.tenant],
    )
  ).map(({ id }) => id);

const connectors = () => Promise.all([0, 1].map((priority) => harness.fixture.connector(harness.tenant, { priority })));

describe("a change of what a tenant's lists show", () => {
  it('moves the position of the tenant, in its transaction: imports, operations, erasures and purges in any order', async () => {
    const value = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const fields = fc.record({
      employee_number: value('1', '2', '3'),
      email: value('a@x.org', 'b@x.org'),
      first_name: value('Ann', 'Bob'),
      last_name: value('Lee'),
      status: value('active', 'inactive', 'deleted'),
      hire_date: value('2999-01-01', '2020-01-01'),
    });
    const sync = fc.record({
      kind: fc.constant('sync' as const),
      source: fc.nat(1),
      rows: fc.array(fc.tuple(fc.nat(3), fields), { minLength: 1, maxLength: 3 }),
    });
    const act = fc.record({
      kind: fc.constantFrom('erase' as const, 'merge' as const, 'wait' as const),
      which: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 2, arbitrary: sync }, act), { minLength: 3, maxLength: 8 }),
        async (steps) => {
          await harness.newTenant();
          const sources = await connectors();
          for (const step of steps) {
            const known = await identities();
            if (step.kind === 'sync') {
              const records = new Map(step.rows.map(([at, given]) => [`${step.source}-${at}`, given]));
              await harness.sync(
                sources[step.source] ?? '',
                [...records].map(([id, given]) =>
                  row(
                    id,
                    Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined)) as Record<
                      string,
                      string
                    >,
                  ),
                ),
              );
            } else if (step.kind === 'wait')
              await applyDue(harness.database, harness.tenant, new Date(Date.now() + yearMs));
            else if (step.kind === 'erase' && known[step.which]) {
              await harness.operate('identity.erase', { identity_id: known[step.which] ?? '' });
            } else if (step.kind === 'merge' && known.length > 1) {
              await harness.operate('identity.merge', { into_id: known[0] ?? '', from_ids: known.slice(1, 2) });
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('moves it when a tombstone is purged', async () => {
    const [source = ''] = await connectors();
    await harness.sync(source, [row('1', { employee_number: '1' }), row('2', { employee_number: '2' })]);
    await harness.operate('identity.erase', { identity_id: (await identities())[0] ?? '' });
    const erased = await position();
    await applyDue(harness.database, harness.tenant, new Date(Date.now() + 10 * yearMs));
    expect(await position()).not.toBe(erased);
  });

  it('is found by the guard', async () => {
    await expect(
      harness.fixture.rows(
        `insert into identities (id, tenant_id, status, created_at, updated_at, document) values ($1, $2, 'active', now(), now(), '{}')`,
        [newUuid(), harness.tenant],
      ),
    ).rejects.toThrow('INSERT of identities moved no position');
  });
});

async function position(): Promise<string> {
  const [found] = await harness.fixture.rows<{ last: number; at: string }>(
    'select last, last_at::text as at from event_sequences where tenant_id = $1',
    [harness.tenant],
  );
  return `${found?.last} ${found?.at}`;
}
