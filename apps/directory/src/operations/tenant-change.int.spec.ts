import { defaultMatchingRules, type MatchingRules, newUuid } from '@idsync/contracts';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import {
  type Requested,
  requestOperation,
  betweenParts as runBetweenParts,
  storedOperation,
} from '../../test/parts.js';
import { proposeMatches } from '../matching/propose-matches.js';
import { giveUpOperation, runOperation } from './run-operation.js';
import { Trials } from './trials.js';

const directory = Harness.ofFile();
const all = 1_200;
const badges: MatchingRules = {
  ...defaultMatchingRules,
  certain: ['employee_number', 'attributes.badge'],
  keys: [{ field: 'attributes.badge', normaliser: 'number_without_zeros', strength: 'permanent' }],
};
let hr: string;
let ad: string;

/** People whose two records have a badge in common, but no default key. */
beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20 });
  const people = (prefix: string, zeros: string) =>
    Array.from({ length: all / 2 }, (_, at) =>
      row(`${prefix}${at}`, { last_name: `Lee${at}`, 'attributes.badge': `${zeros}${at + 1}` }),
    );
  await directory.sync(hr, people('h', ''));
  await directory.sync(ad, people('a', '00'));
});

afterEach(() => {
  jest.restoreAllMocks();
});

const insert = (rules: MatchingRules, preview = false) =>
  requestOperation(directory, 'rules.change', { rules, preview });
const stored = (requested: Requested) => storedOperation(directory, requested);
const betweenParts = (requested: Requested, work: () => Promise<unknown>, records?: number) =>
  runBetweenParts(directory, requested, work, records);

const joined = async () => (await directory.people()).filter((names) => names.length === 2).length;
const rename = (external_id: string, badge: string) =>
  row(external_id, { last_name: 'Renamed', 'attributes.badge': badge });

describe('new rules', () => {
  it('are applied in parts with their progress, between which batches use them', async () => {
    const payroll = await directory.fixture.connector(directory.tenant, { priority: 30 });
    const requested = await insert(badges);
    let between: object | undefined;
    betweenParts(requested, async () => {
      between = { ...(await stored(requested)), joined: await joined() };
      await directory.sync(ad, [rename('a7', '0009')]);
      await directory.sync(payroll, [row('new', { last_name: 'Lee500', 'attributes.badge': '501' })]);
    });
    await runOperation(directory.database, requested);
    expect(between).toMatchObject({ status: 'running', progress: { done: 500, total: all } });
    expect(await stored(requested)).toMatchObject({ status: 'done', progress: { done: all + 1, total: all } });
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
    const people = await directory.people();
    expect(people).toContainEqual(['a500', 'h500', 'new']);
    expect(people).toContainEqual(['h7']);
  });

  it('continue after their process was killed, with the result of their preview', async () => {
    const preview = await insert(badges, true);
    await runOperation(directory.database, preview);
    const requested = await insert(badges);
    betweenParts(requested, () => Promise.reject(new Error('killed')));
    await expect(runOperation(directory.database, requested)).rejects.toThrow('killed');
    expect(await stored(requested)).toMatchObject({ status: 'running' });
    await runOperation(directory.database, requested);
    expect(await joined()).toBe(all / 2);
    const { result, status } = await stored(requested);
    expect({ status, count: result.identities_joined }).toEqual({
      status: 'done',
      count: (await stored(preview)).result.identities_joined,
    });
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  });

  it('can be cancelled, and what is done stays; the fuzzy match waits until they are set again', async () => {
    const requested = await insert(badges);
    const cancel = () => directory.operate('operation.cancel', { operation_id: requested.data.operation_id });
    betweenParts(requested, cancel, all / 2);
    await runOperation(directory.database, requested);
    expect(await stored(requested)).toMatchObject({
      status: 'cancelled',
      progress: { done: 1_000 },
      result: { records_left: all - 1_000, note: expect.stringContaining('no fuzzy match is made until') },
    });
    const some = await joined();
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(all / 2);
    const queued = () =>
      directory.fixture.rows('select from match_queue where tenant_id = $1 limit 1', [directory.tenant]);
    await proposeMatches(directory.database, directory.tenant);
    expect(await queued()).toHaveLength(1);
    expect(await cancel()).toMatchObject({
      status: 'refused',
      result: { error: 'the operation is cancelled, not running' },
    });
    expect(await directory.operate('rules.change', { rules: badges, preview: false })).toMatchObject({
      status: 'done',
    });
    expect(await joined()).toBe(all / 2);
    expect(await queued()).toEqual([]);
  });

  it('are replaced by other rules while they are applied, and no key of them is left', async () => {
    const requested = await insert(badges);
    betweenParts(requested, () => directory.operate('rules.change', { rules: defaultMatchingRules, preview: false }));
    await runOperation(directory.database, requested);
    expect(await stored(requested)).toMatchObject({
      status: 'cancelled',
      result: { records_left: all - 500, note: expect.stringContaining('no fuzzy match is made until') },
    });
    expect(await joined()).toBe(0);
    const left = `select kind, value from correlation_keys where tenant_id = $1 and kind = 'attributes.badge'`;
    expect(await directory.fixture.rows(left, [directory.tenant])).toEqual([]);
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  });

  it('continue after an outage that was longer than their message is retried', async () => {
    const requested = await insert(badges);
    betweenParts(requested, () => Promise.reject(new Error('a fault')));
    await expect(runOperation(directory.database, requested)).rejects.toThrow('a fault');
    await giveUpOperation(directory.database, requested);
    expect(await stored(requested)).toMatchObject({ status: 'running' });
    await runOperation(directory.database, requested);
    expect(await stored(requested)).toMatchObject({ status: 'done' });
  });

  it('are computed again if records change meanwhile, and refused if that goes on', async () => {
    const payroll = await directory.fixture.connector(directory.tenant, { priority: 30 });
    const { database } = directory;
    const trial = database.trial.bind(database);
    let trials = 0;
    let changing = 1;
    jest.spyOn(database, 'trial').mockImplementation(async (tenant, run) => {
      const tried = await trial(tenant, run);
      trials += 1;
      const joiners = Array.from({ length: 30 }, (_, at) => row(`p${trials} ${at}`, { last_name: `New${at}` }));
      if (trials <= changing) await directory.syncInBatches(payroll, [joiners]);
      return tried;
    });
    const requested = await insert(badges);
    await runOperation(database, requested);
    expect([trials, (await stored(requested)).status]).toEqual([2, 'done']);
    changing = trials + 3;
    const refused = await insert(defaultMatchingRules);
    await runOperation(database, refused);
    expect(await stored(refused)).toMatchObject({
      status: 'refused',
      result: { error: expect.stringContaining('records change while') },
    });
  });

  it('keep the turn of their process for all trials, and end although another operation cannot be published', async () => {
    const trials = new Trials();
    const { database } = directory;
    const payroll = await directory.fixture.connector(directory.tenant, { priority: 30 });
    const other = await insert(defaultMatchingRules);
    const [trial, transaction] = [database.trial.bind(database), database.transaction.bind(database)];
    let made = 0;
    let isBetween = false;
    jest.spyOn(database, 'trial').mockImplementation(async (tenant, run) => {
      const tried = await trial(tenant, run);
      made += 1;
      const joiners = Array.from({ length: 30 }, (_, at) => row(`p${made} ${at}`, { last_name: `New${at}` }));
      await directory.syncInBatches(payroll, [joiners]);
      isBetween = true;
      return tried;
    });
    const refused = await insert(badges);
    let isEnded = false;
    jest.spyOn(database, 'transaction').mockImplementation(async (tenant, run) => {
      if (isEnded) throw new Error('the connection is lost');
      if (isBetween) {
        isBetween = false;
        await runOperation(database, other, undefined, trials);
      }
      const result = await transaction(tenant, run);
      isEnded = (await stored(refused)).status === 'refused';
      return result;
    });
    await runOperation(database, refused, undefined, trials);
    expect([made, (await stored(refused)).status, (await stored(other)).status]).toEqual([3, 'refused', 'queued']);
  });

  it('are not applied while their operation is not visible, and their message is retried', async () => {
    const unknown = { id: newUuid(), tenant_id: directory.tenant, data: { operation_id: newUuid() } };
    await expect(runOperation(directory.database, unknown)).rejects.toThrow('the operation');
  });
});
