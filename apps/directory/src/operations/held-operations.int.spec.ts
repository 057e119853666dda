import { defaultLifecyclePolicy, defaultMatchingRules, newUuid, type SourceRecord } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';

const today = '2026-11-29T00:00:00Z';
const all = 12;

let harness: Harness;
let old: string;
let hr: string;

beforeAll(async () => {
  harness = await Harness.create();
});

afterAll(() => harness?.close());

const people = (count: number, values: Record<string, string>, prefix: string): SourceRecord[] =>
  Array.from({ length: count }, (_, at) =>
    row(`${prefix}${at}`, { employee_number: `E${at}`, last_name: `Lee${at}`, ...values }),
  );

async function newSources(): Promise<void> {
  await harness.newTenant();
  old = await harness.fixture.connector(harness.tenant, { name: 'Old HR', priority: 10 });
  hr = await harness.fixture.connector(harness.tenant, { name: 'HR', priority: 20 });
}

/** People who are active in the preceding source, and not in the other one. */
async function company(inactive: number): Promise<void> {
  await newSources();
  await harness.sync(old, people(all, {}, 'o'), today);
  await harness.sync(hr, people(inactive, { status: 'inactive' }, 'n'), today);
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await harness.fixture.rows<{ status: string; count: number }>(
    'select status, count(*)::int from identities where tenant_id = $1 group by 1',
    [harness.tenant],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

async function priorityOf(id: string): Promise<unknown> {
  const [connector] = await harness.fixture.rows('select priority, config_version from connectors where id = $1', [id]);
  return connector;
}

const rankOf = () => ({ connector: { id: hr, priority: 5 } });
const confirm = (operation_id: string) =>
  harness.operate('operation.confirm', { operation_id, reason: 'right' }, today);

describe('a change by which people lose access', () => {
  it('is not the end of the grace period of leavers', async () => {
    await newSources();
    await harness.sync(hr, people(all, { status: 'inactive' }, 'n'), today);
    const policy = { ...defaultLifecyclePolicy, grace_days: 0 };
    expect(await harness.operate('lifecycle.change', { policy }, today)).toMatchObject({ status: 'done' });
    expect(await statuses()).toEqual({ deleted: all });
  });

  describe('of many people', () => {
    beforeEach(() => company(all));

    it('is held with the people, and neither they nor the settings change', async () => {
      const held = await harness.operate('attributes.rank', rankOf(), today);
      expect(held).toMatchObject({
        status: 'held',
        result: {
          held: 'take access from 12 of 12 people, more than 25 % and more than 5',
          access_changes_total: all,
          access_changes: expect.arrayContaining([
            { identity_id: expect.stringMatching(/^idn_/), from: 'active', to: 'inactive' },
          ]),
        },
      });
      expect(held.result.access_changes).toHaveLength(all);
      expect(await statuses()).toEqual({ active: all });
      expect(await priorityOf(hr)).toMatchObject({ priority: 20 });
    });

    it('takes effect when it is confirmed, once', async () => {
      const held = await harness.operate('attributes.rank', rankOf(), today);
      expect(await confirm(held.id)).toMatchObject({ status: 'done', result: { confirmed_operation_id: held.id } });
      expect(await statuses()).toEqual({ inactive: all });
      expect(await priorityOf(hr)).toMatchObject({ priority: 5, config_version: 1 });
      const [performed] = await harness.fixture.rows('select status, result from operations where id = $1', [held.id]);
      expect(performed).toEqual({ status: 'done', result: { identities_changed: all } });
      expect(await confirm(held.id)).toMatchObject({
        status: 'refused',
        result: { error: 'the operation is done, not held' },
      });
    });

    it('is held for each setting that decides who has access', async () => {
      const policy = { connector_employments: [{ connector_id: hr, employments: true }] };
      const dates = { connector: { id: hr, fields: { termination_date: 'end' } } };
      for (const held of [
        await harness.operate('lifecycle.change', { policy } as never, today),
        await harness.operate('attributes.rank', dates, today),
        await harness.operate('attributes.rank', { priorities: [{ field: 'status', connector_id: hr, priority: 1 }] }),
      ])
        expect(held).toMatchObject({ status: 'held', result: { access_changes_total: all } });
      expect(await statuses()).toEqual({ active: all });
    });

    it('is not confirmed if other people would lose access, or after a later change', async () => {
      const held = await harness.operate('attributes.rank', rankOf(), today);
      await harness.sync(old, [row('o12', { employee_number: 'E12', last_name: 'Lee12' })], today);
      await harness.sync(hr, [row('n12', { employee_number: 'E12', last_name: 'Lee12', status: 'inactive' })], today);
      expect(await confirm(held.id)).toMatchObject({
        status: 'refused',
        result: { error: 'the access of other people would change now (1): request the change again' },
      });
      await harness.operate('attributes.rank', { connector: { id: old, priority: 11 } }, today);
      expect(await confirm(held.id)).toMatchObject({
        status: 'refused',
        result: { error: expect.stringContaining('a later operation of this kind') },
      });
      expect(await statuses()).toEqual({ active: all + 1 });
    });
  });

  it.each([
    [24, 'more than 10 % and more than 20'],
    [8, 'more than 25 % and more than 5'],
  ])('is held for %i people who would get access again, too', async (many, bound) => {
    await newSources();
    await harness.sync(old, people(many, { status: 'inactive' }, 'o'), today);
    await harness.sync(hr, people(many, {}, 'n'), today);
    expect(await statuses()).toEqual({ inactive: many });
    const held = await harness.operate('attributes.rank', rankOf(), today);
    const reason = `give access to ${many} people beside 0 who have it, ${bound}`;
    expect(held).toMatchObject({ status: 'held', result: { held: reason, access_changes_total: many } });
    expect(await statuses()).toEqual({ inactive: many });
    expect(await confirm(held.id)).toMatchObject({ status: 'done' });
    expect(await statuses()).toEqual({ active: many });
  });

  it('is held for many people who would start before their hire date', async () => {
    await newSources();
    await harness.sync(hr, people(all, { hire_date: '2026-12-20T00:00:00.000Z' }, 'n'), today);
    const early = (start_days_before: number) =>
      harness.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, start_days_before } }, today);
    expect(await early(5)).toMatchObject({ status: 'done' });
    const held = await early(30);
    expect(held).toMatchObject({
      status: 'held',
      result: {
        held: `give access to ${all} people beside 0 who have it, more than 25 % and more than 5`,
        access_changes: expect.arrayContaining([expect.objectContaining({ from: 'pending', to: 'active' })]),
      },
    });
    expect(await statuses()).toEqual({ pending: all });
    expect(await confirm(held.id)).toMatchObject({ status: 'done' });
    expect(await statuses()).toEqual({ active: all });
  });

  it('is held for leavers whose logins would become new, active people', async () => {
    await newSources();
    await harness.sync(old, people(24, { status: 'inactive' }, 'o'), today);
    await harness.sync(hr, people(24, {}, 'n'), today);
    expect(await statuses()).toEqual({ inactive: 24 });
    const rules = { ...defaultMatchingRules, certain: ['email' as const] };
    const held = await harness.operate('rules.change', { rules, preview: false }, today);
    const reason = 'give access to 24 people beside 0 who have it, more than 10 % and more than 20';
    expect(held).toMatchObject({ status: 'held', result: { held: reason, access_changes_total: 24 } });
    expect(await statuses()).toEqual({ inactive: 24 });
    expect(await confirm(held.id)).toMatchObject({ status: 'done' });
    expect(await statuses()).toEqual({ active: 24, inactive: 24 });
  });

  it('takes effect at once for a few people', async () => {
    await company(5);
    expect(await harness.operate('attributes.rank', rankOf(), today)).toMatchObject({ status: 'done' });
    expect(await statuses()).toEqual({ active: all - 5, inactive: 5 });
  });

  it('does not exist for a confirmation of another tenant', async () => {
    await company(all);
    const held = await harness.operate('attributes.rank', rankOf(), today);
    await harness.newTenant();
    for (const id of [held.id, newUuid()])
      expect(await confirm(id)).toMatchObject({ status: 'refused', result: { error: 'the operation does not exist' } });
  });
});

describe('a preview', () => {
  it('lists who would lose access', async () => {
    await company(all);
    await harness.operate('attributes.rank', rankOf(), today).then(({ id }) => confirm(id));
    await harness.fixture.rows(`update connectors set safeguard = '{"max_enabled_percent": 100}' where id = $1`, [hr]);
    const job = await harness.sync(hr, people(all, {}, 'n'), today);
    expect(await statuses()).toEqual({ active: all });
    const preview = await harness.operate('job.undo', { job_id: job, preview: true }, today);
    expect(preview).toMatchObject({ status: 'done', result: { records_restored: all, access_changes_total: all } });
    expect(await statuses()).toEqual({ active: all });
    expect(await harness.operate('job.undo', { job_id: job, preview: false }, today)).toMatchObject({ status: 'held' });
  });
});
