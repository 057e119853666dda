import { recordEvents } from '@idsync/database/bus';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { evaluate, shownFindings } from '../../test/findings.js';
import { Harness, row } from '../../test/harness.js';
import { evaluateFindings } from './evaluate-findings.js';

const directory = Harness.ofFile();
let hr: string;
let logins: string;
let apps: string;

describe('passes', () => {
  beforeEach(async () => {
    await directory.newTenant();
    hr = await directory.fixture.connector(directory.tenant);
    logins = await directory.fixture.connector(directory.tenant, { records: 'account' });
    apps = await directory.fixture.connector(directory.tenant, { records: 'machine_identity' });
  });

  /** Time for one part. */
  const past = new Date(0);
  const unlimited = new Date(8.64e15);

  const run = (until: Date, chunkSize?: number) =>
    evaluateFindings(directory.database, directory.tenant, { until, ...(chunkSize && { chunkSize }) });
  const pass = async () => {
    const [row] = await directory.fixture.rows<{ phase: string; ended_at: Date | null }>(
      'select * from finding_passes where tenant_id = $1',
      [directory.tenant],
    );
    return row;
  };
  /** Lets the pause after the last pass end. */
  const afterPause = () =>
    directory.fixture.rows(
      `update finding_passes set ended_at = past from (select now() - interval '1 minute' as past) clock where tenant_id = $1`,
      [directory.tenant],
    );

  const longPause = () =>
    directory.fixture.rows(`update finding_passes set spent_ms = 600000, ended_at = now() where tenant_id = $1`, [
      directory.tenant,
    ]);

  describe('a pass over the records of a tenant', () => {
    it('continues where a process stopped, and finds the same in parts of any size', async () => {
      const people = Array.from({ length: 5 }, (_, nth) =>
        row(`p${nth}`, { email: `p${nth}@x.org`, status: 'inactive', manager_id: 'nobody else' }),
      );
      const present = row('q', { manager_id: 'x9' });
      await directory.sync(hr, [...people, present]);
      await directory.sync(
        logins,
        people.map((_, nth) => row(`a${nth}`, { email: `p${nth}@x.org` })),
      );
      await directory.sync(apps, [row('bot', {})]);
      for (let part = 0; part === 0 || !(await pass())?.ended_at; part += 1) await run(past, 2);
      expect(await shownFindings(directory)).toEqual([
        ...people.map((_, nth) => `leaver_with_account a${nth}: open`),
        'machine_without_owner bot: open',
        'unknown_manager q: open',
      ]);
      await directory.sync(hr, [
        ...people.map(({ external_id, fields }) => ({ external_id, fields: { ...fields, status: ['active'] } })),
        row('q', {}),
      ]);
      await evaluate(directory, undefined, 2);
      const states = await shownFindings(directory);
      expect(states.filter((each) => each.startsWith('leaver_with_account') && each.endsWith(': open'))).toEqual([]);
      expect(states).toContain('machine_without_owner bot: open');
    });

    it('begins only after an event of the tenant, and after a pause', async () => {
      await run(unlimited);
      await afterPause();
      const first = (await pass())?.ended_at;
      await run(unlimited);
      expect((await pass())?.ended_at).toEqual(first);
      await directory.sync(apps, [row('bot', {})]);
      await longPause();
      const paused = (await pass())?.ended_at;
      await run(unlimited);
      expect((await pass())?.ended_at).toEqual(paused);
      await directory.fixture.rows(`update finding_passes set spent_ms = 0 where tenant_id = $1`, [directory.tenant]);
      await run(unlimited);
      expect((await pass())?.ended_at).not.toEqual(paused);
    });

    it('is not awaited by the findings of what changes in its pause', async () => {
      const person = (status: string) => row('p', { email: 'p@x.org', status });
      await directory.sync(hr, [person('active'), row('q', { manager_id: 'x9' })]);
      await directory.sync(logins, [row('a', { email: 'p@x.org' })]);
      await directory.sync(apps, [row('bot', { owned_by: 'p@x.org' })]);
      await run(unlimited);
      await longPause();
      const followed = async () => {
        await run(past, 1);
        for (let part = 0; part < 20; part += 1) await run(past, 1);
        const shown = await shownFindings(directory);
        return shown.filter((each) => each.endsWith(': open'));
      };
      await directory.sync(hr, [person('inactive'), row('q', {}), row('r', { manager_id: 'x8' })]);
      expect(await followed()).toEqual([
        'leaver_with_account a: open',
        'leaver_with_machine_secret bot: open',
        'unknown_manager r: open',
      ]);
      await directory.sync(hr, [person('active'), row('q', {}), row('r', { manager_id: 'x8' })]);
      await directory.sync(apps, [row('bot', {}), row('robot', {})]);
      expect(await followed()).toEqual([
        'machine_without_owner bot: open',
        'machine_without_owner robot: open',
        'unknown_manager r: open',
      ]);
      const states = await shownFindings(directory);
      await evaluate(directory);
      expect(await shownFindings(directory)).toEqual(states);
    });

    it('does not begin after a run that changed no record', async () => {
      await directory.sync(apps, [row('bot', {})]);
      await run(unlimited);
      await afterPause();
      const before = (await pass())?.ended_at;
      await directory.database.transaction(directory.tenant, (tx) =>
        recordEvents(tx, [
          { type: 'sync.job.started', details: {} },
          { type: 'sync.job.completed', details: {} },
        ]),
      );
      await run(unlimited);
      expect((await pass())?.ended_at).toEqual(before);
      await directory.sync(apps, [row('bot', { status: 'disabled' })]);
      await run(unlimited);
      expect((await pass())?.ended_at).not.toEqual(before);
    });

    it('reads past users without findings, also those of several transactions', async () => {
      const plain = Array.from({ length: 45 }, (_, nth) => row(`p${nth}`, { email: `p${nth}@x.org` }));
      await directory.sync(hr, plain);
      await directory.sync(hr, [...plain, row('q', { manager_id: 'x9' }), row('r', { email: 'r@x.org' })]);
      for (let part = 0; part === 0 || !(await pass())?.ended_at; part += 1) await run(past, 2);
      expect(await shownFindings(directory)).toEqual(['unknown_manager q: open']);
    });

    it('begins after an hour without an event, because findings depend on time', async () => {
      await run(unlimited);
      await directory.fixture.rows(
        `update finding_passes set began_at = now() - interval '61 minutes', ended_at = now() - interval '61 minutes'
        where tenant_id = $1`,
        [directory.tenant],
      );
      const before = (await pass())?.ended_at;
      await run(unlimited);
      expect((await pass())?.ended_at).not.toEqual(before);
    });

    it('is left to the process that has begun a part of it', async () => {
      await run(past);
      const { database, tenant } = directory;
      await database.transaction(tenant, async (tx) => {
        await tx.query('select 1 from finding_passes where tenant_id = $1 for update', [tenant]);
        await run(unlimited);
      });
      expect((await pass())?.ended_at).toBeNull();
    });
  });

  describe('a resolved finding', () => {
    it('is deleted after 90 days', async () => {
      await directory.sync(apps, [row('bot', {})]);
      await evaluate(directory);
      await directory.sync(apps, [row('bot', { status: 'disabled' })]);
      await evaluate(directory, '2027-01-01T00:00:00Z');
      await evaluate(directory, '2027-04-01T00:00:00Z');
      expect(await shownFindings(directory)).toContain('machine_without_owner bot: resolved');
      await evaluate(directory, '2027-04-01T00:00:01Z');
      expect(await shownFindings(directory)).not.toContain('machine_without_owner bot: resolved');
    });
  });
});
