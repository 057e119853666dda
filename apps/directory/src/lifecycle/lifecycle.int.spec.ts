import { defaultLifecyclePolicy, type LifecyclePolicy } from '@idsync/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { applyDue } from '../background/due-work.js';

let directory: Harness;
let hr: string;
let ad: string;

beforeAll(async () => {
  directory = await Harness.create();
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { name: 'HR', priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { name: 'AD', priority: 20 });
});

afterAll(() => directory?.close());

const day = (date: string) => `${date}T00:00:00.000Z`;
const ann = (fields: Record<string, string>) => [row('ann', { email: 'ann@x.org', ...fields })];
const clockAt = (time: string) => applyDue(directory.database, directory.tenant, new Date(time));
const setPolicy = (policy: Partial<LifecyclePolicy>, at: string) =>
  directory.operate('lifecycle.change', { policy: { ...defaultLifecyclePolicy, ...policy } }, at);

async function statusOfAnn(): Promise<string | undefined> {
  const id = await directory.identityOf('ann');
  const [identity] = await directory.fixture.rows<{ status: string }>('select status from identities where id = $1', [
    id,
  ]);
  return identity?.status;
}

afterEach(async () => expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]));

describe('the lifecycle authority', () => {
  it('makes a person inactive as the first source says, although another source lists them as active', async () => {
    await directory.sync(hr, ann({ status: 'active' }));
    await directory.sync(ad, [row('aad', { email: 'ann@x.org', status: 'active' })]);
    await directory.sync(hr, ann({ status: 'inactive' }));
    expect(await statusOfAnn()).toBe('inactive');
    expect(await directory.lastEvents(3)).toEqual([
      'user.status_changed',
      'identity.status_changed',
      'lifecycle.leaver',
    ]);
  });

  it('does not follow the status of a source with a lower precedence', async () => {
    await directory.sync(hr, ann({ status: 'active' }));
    await directory.sync(ad, [row('aad', { email: 'ann@x.org', status: 'inactive' })]);
    expect(await statusOfAnn()).toBe('active');
    expect(await directory.lastEvents(9)).not.toContain('lifecycle.leaver');
  });

  it('is another source from when the tenant gives it the precedence for `status`', async () => {
    await directory.sync(hr, ann({ status: 'active' }));
    await directory.sync(ad, [row('aad', { email: 'ann@x.org', status: 'inactive' })]);
    const priorities = [{ field: 'status', connector_id: ad, priority: 1 }];
    expect(await directory.operate('attributes.rank', { priorities })).toMatchObject({
      result: { identities_changed: 1 },
    });
    expect(await statusOfAnn()).toBe('inactive');
    expect(await directory.lastEvents(2)).toEqual(['identity.status_changed', 'lifecycle.leaver']);
  });
});

describe('dates of an employment', () => {
  it('keep a person pending before the hire date although the source says active', async () => {
    await directory.sync(hr, ann({ status: 'active', hire_date: day('2026-03-01') }), '2026-02-01T00:00:00Z');
    expect(await statusOfAnn()).toBe('pending');
    expect(await clockAt('2026-02-28T23:59:59Z')).toBe(0);
    expect(await clockAt('2026-03-01T00:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('active');
    expect(await directory.lastEvents(1)).toEqual(['lifecycle.joiner']);
  });

  it('end at the end of the termination date, without a word from the source, and begin the grace period then', async () => {
    const leaves = { status: 'active', termination_date: day('2026-03-31') };
    await directory.sync(hr, ann(leaves), '2026-02-01T00:00:00Z');
    expect(await clockAt('2026-03-31T23:59:59Z')).toBe(0);
    expect(await clockAt('2026-04-01T00:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('inactive');
    expect(await directory.lastEvents(1)).toEqual(['lifecycle.leaver']);
    const [leaver] = await directory.fixture.rows<{ reason: string }>(
      `select details ->> 'reason' as reason from events where tenant_id = $1 and type = 'lifecycle.leaver'`,
      [directory.tenant],
    );
    expect(leaver?.reason).toBe('termination_date');
    expect(await clockAt('2026-04-30T23:59:59Z')).toBe(0);
    expect(await clockAt('2026-05-01T00:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('deleted');
  });

  it.each(['9999-12-31', '0001-01-01'])(
    'leave a person active if the termination date %s stands for none',
    async (date) => {
      await directory.sync(hr, ann({ status: 'active', termination_date: day(date) }), '2026-02-01T00:00:00Z');
      expect(await statusOfAnn()).toBe('active');
      expect(await clockAt('2026-12-31T00:00:00Z')).toBe(0);
    },
  );

  it('let a person return by a hire date after the termination date', async () => {
    await directory.sync(hr, ann({ termination_date: day('2026-03-31') }), '2026-04-02T00:00:00Z');
    expect(await statusOfAnn()).toBe('inactive');
    const again = { termination_date: day('2026-03-31'), hire_date: day('2026-04-10') };
    await directory.sync(hr, ann(again), '2026-04-03T00:00:00Z');
    expect(await statusOfAnn()).toBe('pending');
    expect(await clockAt('2026-04-10T00:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('active');
  });
});

describe('a change of the lifecycle policy', () => {
  it('applies another time zone to people who are already known', async () => {
    await directory.sync(hr, ann({ hire_date: day('2026-03-01') }), '2026-02-28T12:00:00Z');
    const zone = { time_zone: 'Pacific/Kiritimati' };
    expect(await setPolicy(zone, '2026-02-28T12:00:00Z')).toMatchObject({ result: { identities_changed: 1 } });
    expect(await statusOfAnn()).toBe('active');
    const own = { ...zone, connector_time_zones: [{ connector_id: hr, time_zone: 'Europe/Oslo' }] };
    await setPolicy(own, '2026-02-28T12:30:00Z');
    expect(await statusOfAnn()).toBe('pending');
    expect(await clockAt('2026-02-28T22:59:59Z')).toBe(0);
    expect(await clockAt('2026-02-28T23:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('active');
  });

  it('activates people the given number of days before their hire date', async () => {
    await directory.sync(hr, ann({ hire_date: day('2026-03-10') }), '2026-03-01T00:00:00Z');
    await setPolicy({ start_days_before: 3 }, '2026-03-01T00:00:00Z');
    expect(await statusOfAnn()).toBe('pending');
    expect(await clockAt('2026-03-07T00:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('active');
  });

  it('changes how long leavers and their deleted records stay', async () => {
    await directory.sync(hr, ann({ status: 'inactive' }), '2026-01-01T00:00:00Z');
    await directory.sync(ad, [row('bob', { status: 'deleted' }), row('eve', {})], '2026-01-01T00:00:00Z');
    await directory.sync(ad, [row('eve', { status: 'deleted' })], '2026-01-01T00:00:00Z');
    await setPolicy({ grace_days: 2, retention_days: 1 }, '2026-01-01T06:00:00Z');
    expect(await clockAt('2026-01-01T23:00:00Z')).toBe(0);
    expect(await clockAt('2026-01-02T00:00:00Z')).toBe(1);
    await expect(directory.record('eve')).rejects.toThrow('there is no record eve');
    expect(await clockAt('2026-01-03T00:00:00Z')).toBe(1);
    expect(await statusOfAnn()).toBe('deleted');
  });

  it('that changes nothing for a person writes nothing about them', async () => {
    await directory.sync(hr, ann({ hire_date: day('2026-01-01') }), '2026-03-01T00:00:00Z');
    const events = await directory.lastEvents(9);
    expect(await setPolicy({ grace_days: 60 }, '2026-03-02T00:00:00Z')).toMatchObject({
      result: { identities_changed: 0 },
    });
    expect(await directory.lastEvents(9)).toEqual(events);
  });
});
