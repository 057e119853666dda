import { encodeId, type SourceRecord } from '@idsync/contracts';
import { shownDetails } from '@idsync/database/bus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { evaluate, shownFindings, storedFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { endJob, wholeRun } from '../../test/whole-run.js';

const directory = Harness.ofFile();
let hr: string;

describe('managers', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  });

  const ann = (manager?: string) => row('ann', { email: 'ann@x.org', ...(manager && { manager_id: manager }) });
  const bob = (manager?: string) =>
    row('bob', { email: 'bob@x.org', employee_number: '7', ...(manager && { manager_id: manager }) });
  const leaver = (status: string) =>
    row('bob', { email: 'bob@x.org', employee_number: '7', first_name: 'Bob', last_name: 'Holm', status });
  /** Another person, who has got the number. */
  const successor = row('cleo', { employee_number: '7', first_name: 'Cleo', last_name: 'Marsh', manager_id: '7' });

  /** The manager that a user's document shows: an external id if resolved, else the text in quotes. */
  async function managerOf(externalId: string): Promise<string | undefined> {
    const users = await directory.fixture.rows<{ external_id: string; identity_id: string; document: string }>(
      'select external_id, identity_id, document from source_records where tenant_id = $1 order by created_at',
      [directory.tenant],
    );
    const found = users.find((user) => user.external_id === externalId);
    const { manager_id: shown } = JSON.parse(found?.document ?? '{}') as { manager_id?: string };
    const manager = users.find((user) => encodeId('identity', user.identity_id) === shown);
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
    return manager?.external_id ?? (shown && `"${shown}"`);
  }

  describe('the manager of a person', () => {
    it.each([
      ['external id', 'bob'],
      ['external id with other characters', '\uff42ob\u200b'],
      ['email', 'Bob@x.org'],
      ['employee number', '7'],
    ])('is an identity if the source names it by %s, also in the same batch', async (_, named) => {
      await directory.sync(hr, [ann(named), bob()]);
      expect(await managerOf('ann')).toBe('bob');
      await directory.sync(hr, [row('cleo', { manager_id: named })]);
      expect(await managerOf('cleo')).toBe('bob');
    });

    it('is the text of the source until the manager is added, and is then reported', async () => {
      await directory.sync(hr, [ann('bob')]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('"bob"');
      expect(await shownFindings(directory)).toEqual(['unknown_manager ann: open']);
      await directory.sync(hr, [bob()]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('bob');
      expect(await shownFindings(directory)).toEqual(['unknown_manager ann: resolved']);
      const [event] = await directory.fixture.rows<{ details: Record<string, unknown> }>(
        `select details from events where tenant_id = $1 and type = 'user.updated'`,
        [directory.tenant],
      );
      const to = encodeId('identity', await directory.identityOf('bob'));
      expect(shownDetails(event?.details ?? {}).changes).toEqual([
        { field: 'manager_id', from: 'bob', to, source: encodeId('connector', hr) },
      ]);
      await evaluate(directory);
      expect(await directory.lastEvents(1)).toEqual(['finding.resolved']);
    });

    it('who is found later changes the user at a time after all earlier changes of the tenant', async () => {
      await directory.sync(hr, [ann('bob')]);
      await directory.sync(hr, [bob()]);
      const last = '2100-01-01T00:00:00.000Z';
      await directory.fixture.rows('update event_sequences set last_at = $2 where tenant_id = $1', [
        directory.tenant,
        last,
      ]);
      await evaluate(directory);
      const [user] = await directory.fixture.rows<{ updated_at: Date }>(
        `select updated_at from source_records where tenant_id = $1 and external_id = 'ann'`,
        [directory.tenant],
      );
      expect(user?.updated_at.getTime()).toBeGreaterThan(Date.parse(last));
    });

    it('is the user of the same source rather than the holder of an equal employee number', async () => {
      const other = await directory.fixture.connector(directory.tenant, { priority: 20 });
      await directory.sync(other, [row('x1', { employee_number: '7', email: 'x@x.org' })]);
      await directory.sync(hr, [row('7', { email: 'seven@x.org' }), ann('7')]);
      expect(await managerOf('ann')).toBe('7');
    });

    it('is unknown if two sources have such a user', async () => {
      const others = [
        await directory.fixture.connector(directory.tenant),
        await directory.fixture.connector(directory.tenant),
      ];
      for (const [nth, other] of others.entries())
        await directory.sync(other, [row('bob', { email: `b${nth}@x.org` })]);
      await directory.sync(hr, [ann('bob')]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('"bob"');
      expect(await shownFindings(directory)).toEqual(['unknown_manager ann: open']);
    });

    it.each(['bob', '7'])('who has left and is named by %s remains, and the finding says so', async (named) => {
      const cleo = row('cleo', { email: 'cleo@x.org' });
      await directory.sync(hr, [ann(named), bob(), cleo]);
      const manager_id = encodeId('identity', await directory.identityOf('bob'));
      await directory.sync(hr, [ann(named), leaver('deleted'), cleo]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('bob');
      await directory.sync(hr, [row('ann', { manager_id: named, job_title: 'Lead' }), cleo]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('bob');
      const [finding] = await storedFindings(directory);
      expect(finding).toMatchObject({ kind: 'unknown_manager', subject: 'ann', state: 'open' });
      expect(finding?.evidence).toMatchObject({ manager_id, manager_status: 'deleted' });
      await directory.sync(hr, [ann('cleo'), cleo]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('cleo');
      expect(await shownFindings(directory)).toEqual(['unknown_manager ann: resolved']);
    });

    it('who has left is unknown if the address is given up, or two people have the number', async () => {
      await directory.sync(hr, [ann('bob@x.org'), leaver('inactive'), successor]);
      expect([await managerOf('ann'), await managerOf('cleo')]).toEqual(['bob', '"7"']);
      await directory.sync(hr, [leaver('deleted')]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('"bob@x.org"');
      expect(await shownFindings(directory)).toEqual(expect.arrayContaining(['unknown_manager ann: open']));
    });

    it.each([1, 2, 3])('is the same for records in batches of %d', async (size) => {
      const records = [ann('7'), leaver('inactive'), successor];
      for (let at = 0; at < records.length; at += size) await directory.sync(hr, records.slice(at, at + size));
      await evaluate(directory);
      expect(await managerOf('ann')).toBe('"7"');
    });

    it('follows a merge of the manager', async () => {
      const other = await directory.fixture.connector(directory.tenant);
      await directory.sync(hr, [ann('bob'), bob()]);
      await directory.sync(other, [row('robert', { email: 'robert@x.org' })]);
      const [into_id, from] = [await directory.identityOf('robert'), await directory.identityOf('bob')];
      await directory.operate('identity.merge', { into_id, from_ids: [from] });
      await evaluate(directory);
      const { document } = (await directory.record('ann')) as unknown as { document: string };
      expect(JSON.parse(document).manager_id).toBe(encodeId('identity', into_id));
      expect(await storedFindings(directory)).toEqual([]);
    });

    it('is the person if the source names them as their own manager, which is no finding', async () => {
      await directory.sync(hr, [ann('ann'), bob('bob@x.org')]);
      await evaluate(directory);
      expect([await managerOf('ann'), await managerOf('bob')]).toEqual(['ann', 'bob']);
      expect(await storedFindings(directory)).toEqual([]);
    });

    it.each(['N/A', 'none', '-', '0'])('is absent for the placeholder %s, which is no finding', async (placeholder) => {
      await directory.sync(hr, [ann(placeholder)]);
      await evaluate(directory);
      expect(await managerOf('ann')).toBeUndefined();
      expect(await storedFindings(directory)).toEqual([]);
    });

    it('that changes is a move, but not the first one of a newly mapped field', async () => {
      const cleo = row('cleo', { email: 'cleo@x.org' });
      const types = () => directory.lastEvents(3);
      await directory.sync(hr, [ann(), bob(), cleo]);
      await directory.sync(hr, [ann('bob'), bob(), cleo]);
      expect(await types()).not.toContain('lifecycle.mover');
      await directory.sync(hr, [ann('cleo'), bob(), cleo]);
      expect(await types()).toContain('lifecycle.mover');
    });

    it('is removed from people when the manager is erased', async () => {
      await directory.sync(hr, [ann('bob@x.org'), bob()]);
      await directory.operate('identity.erase', { identity_id: await directory.identityOf('bob') });
      expect(await managerOf('ann')).toBeUndefined();
      const traces = await directory.fixture.rows(
        `select fields::text from source_records where tenant_id = $1 and fields::text like '%bob%'
       union all select details::text from events where tenant_id = $1 and details::text like '%bob%'
       union all select document from record_versions where tenant_id = $1 and document like '%bob%'
       union all select document from identity_versions where tenant_id = $1 and document like '%bob%'`,
        [directory.tenant],
      );
      expect(traces).toEqual([]);
      expect(await directory.record('ann')).toMatchObject({ fields: { email: ['ann@x.org'] } });
    });
  });

  describe('the manager of a person whose record gets a new id', () => {
    const bob = (id: string, values: Record<string, string> = {}) =>
      row(id, { employee_number: '7', first_name: 'Bob', last_name: 'Holm', ...values });
    const cleo = (values: Record<string, string>) => row('cleo', { email: 'cleo@x.org', ...values });

    /** Complete runs, one after the other. */
    async function runs(...lists: SourceRecord[][]): Promise<void> {
      for (const records of lists) {
        await endJob(directory, await wholeRun(directory, hr, [records]), 'completed');
        await directory.fixture.rows(
          `insert into connector_states (connector_id, tenant_id, complete_as_of) values ($1, $2, now())
         on conflict do nothing`,
          [hr, directory.tenant],
        );
      }
      await evaluate(directory);
    }

    it('is not found by the former id, although the former owner of the id has left', async () => {
      await runs(
        [bob('1', { status: 'inactive' }), ann()],
        [bob('2', { status: 'inactive' }), ann(), cleo({ manager_id: '1' })],
      );
      expect(await managerOf('cleo')).toBe('"1"');
    });

    it('is found by the new id in the same run', async () => {
      await runs([bob('1'), ann('1')], [bob('2'), ann('2'), cleo({ manager_id: '2' })]);
      expect([await managerOf('ann'), await managerOf('cleo')]).toEqual(['2', '2']);
    });

    it.each(['active', 'inactive'])('is forgotten with the former id, %s or not', async (status) => {
      await runs([bob('1'), ann(), cleo({ manager_id: '1', job_title: 'Clerk' })]);
      await runs([bob('2', { status }), ann(), cleo({ manager_id: '1', job_title: 'Chief' })]);
      expect(await managerOf('cleo')).toBe('"1"');
    });
  });

  describe('a cycle of managers', () => {
    const cycles = async () => (await storedFindings(directory)).filter(({ kind }) => kind === 'manager_cycle');

    it('is one finding with its people, until one of them has another manager', async () => {
      const cleo = row('cleo', { manager_id: 'ann' });
      await directory.sync(hr, [ann('bob'), bob('cleo'), cleo, row('dan', { manager_id: 'ann' })]);
      await evaluate(directory);
      const people = await Promise.all(['ann', 'bob', 'cleo'].map((name) => directory.identityOf(name)));
      const found = await cycles();
      expect(found).toMatchObject([{ state: 'open', subject: [...people].sort()[0] }]);
      expect(found[0]?.evidence.manager_ids).toEqual(
        expect.arrayContaining(people.map((id) => encodeId('identity', id))),
      );
      await directory.sync(hr, [ann('bob'), bob('none'), cleo]);
      await evaluate(directory);
      expect((await cycles()).map(({ state }) => state)).toEqual(['resolved']);
    });

    it('is found up to 100 people', async () => {
      for (const [length, expected] of [
        [101, 0],
        [100, 1],
      ] as const) {
        const people = Array.from({ length }, (_, nth) => row(`p${nth}`, { manager_id: `p${(nth + 1) % length}` }));
        await directory.sync(hr, people);
        await evaluate(directory);
        expect((await cycles()).length).toBe(expected);
      }
    });

    it('is not a person who is their own manager, nor a chain', async () => {
      await directory.sync(hr, [ann('bob'), bob('bob')]);
      await evaluate(directory);
      expect(await storedFindings(directory)).toEqual([]);
    });

    it('counts the source of higher precedence only, and people who are present', async () => {
      const ad = await directory.fixture.connector(directory.tenant, { priority: 20 });
      await directory.sync(hr, [ann('bob'), bob()]);
      await directory.sync(ad, [row('a', { email: 'ann@x.org' }), row('b', { email: 'bob@x.org', manager_id: 'a' })]);
      await evaluate(directory);
      expect((await cycles()).length).toBe(1);
      await directory.sync(hr, [ann('bob'), bob('none')]);
      await evaluate(directory);
      expect((await cycles()).map(({ state }) => state)).toEqual(['resolved']);
    });
  });
});

describe('a former reference', () => {
  let machines: string;

  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
    machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
  });

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
