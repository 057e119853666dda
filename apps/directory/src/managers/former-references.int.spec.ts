import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;
let hr: string;
let machines: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
});

afterAll(() => directory?.close());

const person = (id: string) => row(id, { email: `${id}@x.org` });
const led = (values: Record<string, string>) => row('led', { email: 'led@x.org', ...values });
const bot = (values: Record<string, string>) => row('bot', { display_name: 'Bot', ...values });

/** Lists the texts by which each record named each person earlier. */
async function stored(): Promise<string[]> {
  const rows = await directory.fixture.rows<{ row: string }>(
    `select r.external_id || ': ' || u.external_id || ' as ' ||
            array_to_string(array(select unnest(f.texts) order by 1), ', ') as row
       from former_references f
       join source_records r on r.id = f.record_id
       join source_records u on u.identity_id = f.identity_id and u.kind = 'user'
      where f.tenant_id = $1 order by 1`,
    [directory.tenant],
  );
  return rows.map((each) => each.row);
}

async function syncLed(values: Record<string, string>): Promise<void> {
  await directory.sync(hr, [person('ann'), person('bob'), led(values)]);
}

describe('a former reference', () => {
  it('is stored when a user has another manager, calls them by another text, or has none', async () => {
    await syncLed({ manager_id: 'ann' });
    await syncLed({ manager_id: 'ann@x.org' });
    expect(await stored()).toEqual(['led: ann as ann']);
    await syncLed({ manager_id: 'bob' });
    await syncLed({});
    const expected = ['led: ann as ann, ann@x.org', 'led: bob as bob'];
    expect(await stored()).toEqual(expected);
    await syncLed({ manager_id: 'ann' });
    await syncLed({});
    expect(await stored()).toEqual(expected);
  });

  it('is stored when a machine has another person in a role', async () => {
    await directory.sync(hr, [person('ann'), person('bob')]);
    await directory.sync(machines, [bot({ owned_by: 'ann', technical_inheritor: 'ANN@x.org' })]);
    await directory.sync(machines, [bot({ owned_by: 'ann', technical_inheritor: 'bob' })]);
    expect(await stored()).toEqual(['bot: ann as ANN@x.org']);
    await directory.sync(machines, [bot({ owned_by: 'bob', technical_inheritor: 'bob' })]);
    expect(await stored()).toEqual(['bot: ann as ANN@x.org, ann']);
  });

  it('is not stored by a run that changes nothing or other values', async () => {
    const run = async (values: Record<string, string>) => {
      await syncLed({ manager_id: 'ann', ...values });
      await directory.sync(machines, [bot({ owned_by: 'ann', ...values })]);
    };
    await run({});
    await run({});
    await run({ job_title: 'Chief' });
    expect(await stored()).toEqual([]);
  });

  it('ends with its record', async () => {
    await syncLed({ manager_id: 'ann' });
    await syncLed({ manager_id: 'bob' });
    expect(await stored()).toEqual(['led: ann as ann']);
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('led') });
    expect(
      await directory.fixture.rows('select from former_references where tenant_id = $1', [directory.tenant]),
    ).toEqual([]);
  });
});
