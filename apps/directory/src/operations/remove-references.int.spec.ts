import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eraseIdentity, findTraces } from '../../test/erasure.js';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;

beforeAll(async () => {
  directory = await Harness.create();
});

afterAll(() => directory?.close());

describe('an erasure of a manager with more reports than are changed together', () => {
  /** Above a chunk. */
  const count = 1_100;
  const team = (manager: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => row(`led-${at}`, { email: `led${at}@x.org`, manager_id: manager(at) }));
  const managersOf = () =>
    directory.fixture.rows<{ manager: string | null; text: string | null; count: number }>(
      `select manager_id as manager, fields -> 'manager_id' ->> 0 as text, count(*)::int as count from source_records
        where tenant_id = $1 and external_id like 'led-%' group by 1, 2 order by 3 desc`,
      [directory.tenant],
    );

  it('removes the person from every present and former report, and leaves no trace', async () => {
    await directory.newTenant();
    const hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
    const machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
    const heads = [
      row('wulio-1', { email: 'wulio1@x.org', first_name: 'Wulio' }),
      row('next', { email: 'next@x.org' }),
    ];
    await directory.sync(hr, [...heads, ...team((at) => (at % 2 === 0 ? 'wulio-1' : 'wulio1@x.org'))]);
    await directory.sync(machines, [row('bot', { owned_by: 'wulio-1', technical_inheritor: 'next' })]);
    // A tenth gets another manager, so that only its history refers to the person.
    await directory.sync(hr, [...heads, ...team((at) => (at % 10 === 0 ? 'next' : 'wulio1@x.org'))]);
    const next = await directory.identityOf('next');
    expect((await managersOf()).map((each) => each.count)).toEqual([count * 0.9, count * 0.1]);
    await eraseIdentity(directory, await directory.identityOf('wulio-1'));
    expect(await managersOf()).toEqual([
      { manager: null, text: null, count: count * 0.9 },
      { manager: next, text: 'next', count: count * 0.1 },
    ]);
    expect(await directory.record('bot')).toMatchObject({ fields: { owned_by: ['next'] } });
    expect(await findTraces(directory, 'wulio')).toEqual({});
  });
});
