import { beforeEach, describe, expect, it } from '@jest/globals';
import { eraseIdentity, findTraces } from '../../test/erasure.js';
import { Harness, row } from '../../test/harness.js';
import { endJob, wholeRun } from '../../test/whole-run.js';

const directory = Harness.ofFile();

describe('an erasure of a person who was a manager or an owner earlier', () => {
  let hr: string;
  let machines: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
    machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
  });

  const erase = (identityId: string) => eraseIdentity(directory, identityId);
  const traces = (word: string) => findTraces(directory, word);

  const boss = row('wulio-5', { email: 'wulio5@x.org', first_name: 'Wulio' });
  const next = row('next', { email: 'next@x.org' });
  const led = (manager_id: string, job_title = 'Clerk') => row('led', { email: 'led@x.org', manager_id, job_title });
  const bot = (technical_inheritor: string, display_name = 'Bot') =>
    row('bot', { owned_by: 'next', technical_inheritor, display_name });
  const managerOf = async (id: string) => {
    const { manager_id } = (await directory.record(id)) as unknown as { manager_id: string | null };
    return manager_id;
  };

  it('removes the person from the history of a user who has another manager, and nothing else', async () => {
    await directory.sync(hr, [boss, next, led('wulio-5', 'Trainee')]);
    await directory.sync(hr, [boss, next, led('wulio-5', 'Clerk')]);
    await directory.sync(hr, [boss, next, led('next', 'Clerk')]);
    const history = ['events', 'record_versions'];
    const before = await traces('trainee');
    expect(Object.keys(await traces('wulio'))).toEqual(expect.arrayContaining(['source_records', 'former_references']));
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    const after = await traces('trainee');
    expect(Object.keys(before)).toEqual(expect.arrayContaining(history));
    for (const table of history) expect(after[table]?.length).toBeGreaterThan(0);
    expect(await directory.record('led')).toMatchObject({ fields: { manager_id: ['next'] } });
    expect(await managerOf('led')).toBe(await directory.identityOf('next'));
  });

  it('removes the person from the history of a user who has no manager, after several jobs', async () => {
    await directory.sync(hr, [boss, next, led('WULIO5@X.ORG')]);
    await directory.sync(hr, [boss, next, led('wulio-5')]);
    for (const job_title of ['Chief', 'Head', 'Lead']) {
      await directory.sync(hr, [boss, next, row('led', { email: 'led@x.org', job_title })]);
    }
    expect(Object.keys(await traces('wulio5@x.org'))).toContain('former_references');
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
  });

  it('removes the person from the history of a user who called the person by a former value', async () => {
    const renamed = row('wulio-5', { email: 'other@x.org', first_name: 'Wulio' });
    await directory.sync(hr, [boss, next, led('wulio5@x.org')]);
    await directory.sync(hr, [renamed, next, led('wulio-5')]);
    await directory.sync(hr, [renamed, next, led('next')]);
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
  });

  it('keeps values in the history of a user that the person has, too, such as a department', async () => {
    const [sales, support] = [{ departments: 'Zoll' }, { departments: 'Zulieferung' }];
    const chief = (values: object) => row('wulio-5', { email: 'wulio5@x.org', ...values });
    const clerk = (manager_id: string, values: object) => row('led', { email: 'led@x.org', manager_id, ...values });
    await directory.sync(hr, [chief(sales), next, clerk('wulio-5', sales)]);
    await directory.sync(hr, [chief(support), next, clerk('wulio-5', support)]);
    await directory.sync(hr, [chief(support), next, clerk('next', support)]);
    const led = await directory.record('led');
    const changes = () =>
      directory.fixture.rows(
        `select type, details from events where tenant_id = $1 and (identity_id = $2 or subject_id = $3)
            and details::text like '%Zoll%' and details::text not like '%wulio%' order by sequence`,
        [directory.tenant, led.identity_id, led.id],
      );
    const before = await changes();
    expect(before.length).toBeGreaterThan(1);
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    expect(await changes()).toEqual(before);
  });

  it('keeps a text in the states of a user that means the present manager', async () => {
    const heads = (wulio: string, other: string) => [
      row('wulio-5', { email: wulio, first_name: 'Wulio' }),
      row('next', { email: other, first_name: 'Next' }),
    ];
    await directory.sync(hr, [...heads('head@x.org', 'next@x.org'), led('head@x.org', 'Clerk')]);
    await directory.sync(hr, [...heads('wulio5@x.org', 'head@x.org'), led('head@x.org', 'Clerk')]);
    await directory.sync(hr, [...heads('wulio5@x.org', 'head@x.org'), led('head@x.org', 'Chief')]);
    const nextId = await directory.identityOf('next');
    expect(await managerOf('led')).toBe(nextId);
    await erase(await directory.identityOf('wulio-5'));
    expect(await managerOf('led')).toBe(nextId);
    expect(await directory.record('led')).toMatchObject({ previous: { fields: { manager_id: ['head@x.org'] } } });
  });

  it('removes a key of the person from the states of a machine that has another key', async () => {
    await directory.sync(hr, [row('wulio-3', { email: 'wulio3@x.org', first_name: 'Wulio' })]);
    await directory.sync(machines, [row('bot', { email: 'Wulio3@x.org' })]);
    await directory.sync(machines, [row('bot', { email: 'bot@x.org' })]);
    expect(Object.keys(await traces('wulio3@x.org'))).toContain('source_records');
    await erase(await directory.identityOf('wulio-3'));
    expect(await traces('wulio')).toEqual({});
  });

  it('removes the person from the history of a machine that has another inheritor', async () => {
    await directory.sync(hr, [boss, next]);
    await directory.sync(machines, [bot('wulio-5')]);
    await directory.sync(machines, [bot('next', 'Crawler')]);
    expect(Object.keys(await traces('wulio-5'))).toContain('former_references');
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    expect(Object.keys(await traces('crawler'))).toContain('source_records');
  });

  it.each(['before', 'after'])(
    'removes also a person who was merged into another one %s the references changed',
    async (time) => {
      const keep = row('keep', { email: 'keep@x.org' });
      await directory.sync(hr, [boss, next, keep, led('wulio-5')]);
      await directory.sync(machines, [bot('wulio-5')]);
      const change = async () => {
        await directory.sync(hr, [boss, next, keep, led('next')]);
        await directory.sync(machines, [bot('next')]);
      };
      if (time === 'after') await change();
      const [into_id, from] = [await directory.identityOf('keep'), await directory.identityOf('wulio-5')];
      await directory.operate('identity.merge', { into_id, from_ids: [from] });
      if (time === 'before') await change();
      await erase(into_id);
      expect(await traces('wulio')).toEqual({});
    },
  );

  it('removes the person also from references that have not followed a merge yet', async () => {
    const keep = row('keep', { email: 'keep@x.org' });
    await directory.sync(hr, [boss, next, keep, led('wulio-5')]);
    const [into_id, from] = [await directory.identityOf('keep'), await directory.identityOf('wulio-5')];
    await directory.operate('identity.merge', { into_id, from_ids: [from] });
    expect(await managerOf('led')).toBe(from);
    await erase(into_id);
    expect(await traces('wulio')).toEqual({});
  });

  it('keeps references to another person, from which the erased one was split after the references changed', async () => {
    const keep = row('keep', { email: 'keep@x.org' });
    await directory.sync(hr, [boss, next, keep, led('next')]);
    const [into_id, from] = [await directory.identityOf('keep'), await directory.identityOf('wulio-5')];
    await directory.operate('identity.merge', { into_id, from_ids: [from] });
    const other = (manager_id: string) => row('other', { email: 'other@x.org', manager_id });
    await directory.sync(hr, [boss, next, keep, led('wulio-5'), other('keep')]);
    await directory.sync(hr, [boss, next, keep, led('keep'), other('next')]);
    await directory.sync(hr, [boss, next, keep, led('next'), other('next')]);
    const { id } = await directory.record('wulio-5');
    await directory.operate('identity.split', { identity_id: into_id, record_ids: [id] });
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    const rows = await directory.fixture.rows<{ texts: string[] }>(
      'select texts from former_references where tenant_id = $1 and identity_id = $2',
      [directory.tenant, into_id],
    );
    expect(rows.map(({ texts }) => texts)).toEqual([['keep'], ['keep']]);
    expect(JSON.stringify(await directory.record('other'))).toContain('"keep"');
    await erase(into_id);
    expect(JSON.stringify(await directory.record('other'))).not.toContain('"keep"');
  });

  it('removes the person also from an identity that no event of their records belongs to', async () => {
    const others = [row('keep', { email: 'keep@x.org' }), row('third', { email: 'third@x.org' }), next];
    await directory.sync(hr, [boss, ...others]);
    const [keep, third] = [await directory.identityOf('keep'), await directory.identityOf('third')];
    const from_ids = [await directory.identityOf('wulio-5')];
    await directory.operate('identity.merge', { into_id: keep, from_ids });
    await directory.sync(hr, [boss, ...others, led('wulio-5')]);
    await directory.sync(hr, [boss, ...others, led('next')]);
    const record_ids = [(await directory.record('wulio-5')).id];
    const { result } = await directory.operate('identity.split', { identity_id: keep, record_ids });
    await directory.operate('identity.merge', { into_id: third, from_ids: [result.new_identity_id] });
    await erase(third);
    expect(await traces('wulio')).toEqual({});
  });

  it('removes the person from a held plan of the user, and leaves other managers in it', async () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    const reports = (manager_id: string) => numbers.map((n) => row(`r${n}`, { manager_id, email: `r${n}@x.org` }));
    await directory.sync(hr, [boss, next, ...reports('wulio-5')]);
    await directory.sync(hr, [boss, next, ...reports('next')]);
    const third = row('third', { email: 'third@x.org' });
    const held = numbers.map((n) => row(`r${n}`, { manager_id: n < 4 ? 'wulio-5' : 'third', status: 'inactive' }));
    await endJob(directory, await wholeRun(directory, hr, [[boss, next, third, ...held]]), 'quarantined');
    expect(Object.keys(await traces('wulio-5'))).toContain('sync_plan_entries');
    // As if another job had given the record a new id.
    await directory.fixture.rows(`update source_records set external_id = 'renamed' where external_id = 'r1'`);
    await erase(await directory.identityOf('wulio-5'));
    expect(await traces('wulio')).toEqual({});
    expect((await traces('third')).sync_plan_entries?.length).toBeGreaterThanOrEqual(3);
  });
});

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
