import { describe, expect, it } from '@jest/globals';
import { stateOf } from '../components/words.js';
import { endOfDay, methodOf, scopesOf } from './access/describe-access.js';
import { actWords } from './audit/act-words.js';
import { describeFactor, describeMissing } from './machines/describe-machine.js';
import { appliedWords, durationOf, kindOf, phasesOf, stepsOf } from './runs/describe-run.js';
import { limitsOf, scheduleOf } from './sources/describe-source.js';
import {
  brokerOf,
  countOf,
  lagOf,
  missingServices,
  type Process,
  type Queue,
  stateOfProcess,
  stateOfQueue,
  versionsOf,
} from './system/describe-system.js';

const now = Date.parse('2026-11-24T12:00:00Z');

describe('a key in the console', () => {
  it.each([
    [{}, 'Active'],
    [{ expires_at: '2027-11-24T12:00:00Z' }, 'Active'],
    [{ expires_at: '2026-11-25T12:00:00Z' }, 'Expires soon'],
    [{ expires_at: '2026-11-24T11:00:00Z' }, 'Expired'],
    [{ expires_at: '2027-11-24T12:00:00Z', revoked_at: '2026-11-24T12:00:00Z' }, 'Revoked'],
  ])('says whether %j can be used', (key, word) => {
    expect(stateOf(key, now).word).toBe(word);
  });

  it('or a session names how the operator signed in', () => {
    expect(['oidc', 'service_token', 'admin_token'].map(methodOf)).toEqual([
      'the identity provider',
      'a service token',
      'the operator token',
    ]);
  });

  it('names its scopes, or all of them', () => {
    expect([scopesOf(['a', 'b'], 2), scopesOf(['a', 'b'], 3)]).toEqual(['All', 'a, b']);
  });

  it('expires at the end of a day, or never', () => {
    expect(endOfDay('')).toBeUndefined();
    expect(Date.parse(endOfDay('2026-11-24') ?? '')).toBe(new Date('2026-11-24T23:59:59').getTime());
  });
});

it.each([
  ['resendDelivery', 'Sent a delivery again'],
  ['createSyncJob', 'Started a run'],
  ['releaseSyncJob', 'Released a run'],
  ['updateConnector', 'Changed a source'],
  ['createApiKey', 'Created an API key'],
  ['eraseIdentity', 'Erased a person'],
  ['listMachineIdentities', 'Read machines'],
  ['listAccounts', 'Read accounts'],
  ['archiveTenant', 'Archive tenant'],
  ['constructor', 'Constructor'],
  ['unknown', 'Unknown'],
])('calls %s %j', (action, words) => {
  expect(actWords(action)).toBe(words);
});

it('says in words why a machine has a risk, and names a factor that it does not know', () => {
  expect(describeFactor('long_lived_secret').title).toBe('Its secret has not been rotated for a long time');
  expect(describeFactor('leaked_key')).toEqual({ title: 'leaked key' });
});

it('says why a role has no person', () => {
  expect(describeMissing({ role: 'owned_by', identity_id: 'idn_1' })).toBeUndefined();
  expect(describeMissing({ role: 'owned_by' })).toContain('names no responsible person');
  expect(describeMissing({ role: 'owned_by', named: 'x@y.example' })).toContain('No person of the directory');
});

const at = (minute: number) => `2026-11-24T10:${String(minute).padStart(2, '0')}:00.000Z`;

describe('a run as the console describes it', () => {
  it.each([
    [{ status: 'completed', dry_run: false }, 'Applied'],
    [{ status: 'cancelled', dry_run: false }, 'Applied'],
    [{ status: 'quarantined', dry_run: false }, 'Applied or set aside'],
    [{ status: 'cancelled', dry_run: false, note: 'quarantined: the run would' }, 'Applied or discarded'],
    [{ status: 'completed', dry_run: true }, 'Would apply'],
  ])('calls the records of %j %s', (run, label) => {
    expect(appliedWords(run).label).toBe(label);
  });

  it('has no duration before it has started, and grows until it has ended', () => {
    expect(durationOf({ created_at: at(0) }, Date.parse(at(9)))).toBeUndefined();
    expect(durationOf({ created_at: at(0), started_at: at(1) }, Date.parse(at(9)))).toBe('8 min');
    expect(durationOf({ created_at: at(0), started_at: at(1), completed_at: at(3) }, Date.parse(at(9)))).toBe('2 min');
  });

  it('does not count the time in which a held run waits for its decision', () => {
    const held = { created_at: at(0), started_at: at(1), last_record_at: at(2), status: 'quarantined' };
    expect(durationOf(held, Date.parse(at(9)))).toBe('1 min');
  });

  it('never has a negative duration if the clocks differ', () => {
    expect(durationOf({ created_at: at(0), started_at: at(5) }, Date.parse(at(4)))).toBe('0 ms');
  });

  it.each([
    [{ mode: 'full', dry_run: false }, 'Full read'],
    [{ mode: 'changes', dry_run: true }, 'Changes only, dry run'],
    [{ mode: 'full', dry_run: false, external_id: '4711' }, 'One record: 4711'],
    [{ mode: 'full', dry_run: false, retires: true }, 'Retires a deleted source'],
  ])('names what %j reads', (run, words) => {
    expect(kindOf(run)).toBe(words);
  });

  it('lists its steps in the order of time, with every decision', () => {
    const steps = stepsOf({
      created_at: at(0),
      started_at: at(1),
      last_record_at: at(2),
      completed_at: at(9),
      records_read: 40,
      status: 'completed',
      decision: { action: 'release', by: 'eva', at: at(5), reason: 'layoffs', after: { action: 'undo', at: at(12) } },
    });
    expect(steps.map(({ title }) => title)).toEqual([
      'Queued',
      'Started to read the source',
      'Read the last record',
      'Decided: release, by eva',
      'Ended: completed',
      'Decided: undo',
    ]);
    expect(steps[3]?.detail).toBe('layoffs');
  });

  it('divides its time into phases, of which waiting for a decision has no share', () => {
    const run = {
      created_at: at(0),
      started_at: at(1),
      last_record_at: at(3),
      completed_at: at(40),
      status: 'completed',
    };
    expect(phasesOf({ ...run, decision: { action: 'release', at: at(39) } }, Date.parse(at(50)))).toEqual([
      { title: 'Waiting', ms: 60_000, start: 0, share: 25 },
      { title: 'Reading', ms: 120_000, start: 25, share: 50 },
      { title: 'Held', ms: 2_160_000, start: 75, share: 0 },
      { title: 'Applying', ms: 60_000, start: 75, share: 25 },
    ]);
  });

  it.each([
    ['queued', {}, ['Waiting']],
    ['running', { started_at: at(1) }, ['Waiting', 'Reading']],
    ['running', { started_at: at(1), last_record_at: at(2) }, ['Waiting', 'Reading', 'Applying']],
    ['quarantined', { started_at: at(1), last_record_at: at(2) }, ['Waiting', 'Reading', 'Held']],
    ['failed', { started_at: at(1), completed_at: at(2) }, ['Waiting', 'Reading']],
    ['cancelled', { completed_at: at(2) }, ['Waiting']],
  ])('has the phases of a %s run with %j', (status, times, titles) => {
    const phases = phasesOf({ created_at: at(0), status, ...times }, Date.parse(at(9)));
    expect(phases.map(({ title }) => title)).toEqual(titles);
    expect(phases.every(({ start, share }) => start >= 0 && start + share <= 100)).toBe(true);
  });

  it('has no negative phase if the clocks of services differ', () => {
    const run = {
      created_at: at(5),
      started_at: at(4),
      last_record_at: at(3),
      completed_at: at(6),
      status: 'completed',
    };
    expect(phasesOf(run, Date.parse(at(9))).every(({ ms }) => ms > 0)).toBe(true);
  });
});

const schedule = { paused: false, full_every: 1, full_every_hours: 24 };

describe('a source as the console describes it', () => {
  it.each([
    [undefined, 'Manual'],
    [{ ...schedule, every: '15m' }, 'Every 15m, a full read within 24 h'],
    [{ ...schedule, every: '15m', paused: true }, 'Every 15m, a full read within 24 h (paused)'],
    [
      { ...schedule, cron: '0 6 * * *', time_zone: 'Europe/Berlin' },
      'At 0 6 * * * in Europe/Berlin, a full read within 24 h',
    ],
  ])('says when it is read', (given, words) => {
    expect(scheduleOf(given)).toBe(words);
  });

  it('shows both bounds of each limit of the safeguard', () => {
    expect(
      limitsOf({ within_hours: 24, max_deleted_percent: 10, max_deleted_records: 20, changed_fields: [] }),
    ).toEqual([['Deleted', '10 % and 20 records']]);
  });
});

const queue: Queue = { name: 'directory.batches', service: 'directory', messages: 3, dead_letters: 0 };
const process: Process = {
  ...{ service: 'directory', version: '1.0.0', host: 'a', started_at: '', seen_at: '', responding: true },
  ...{ broker_connected: true, outbox_messages: 0, outbox_lag_seconds: 0 },
};

describe('the system screen', () => {
  it('says how far messages are counted', () => {
    expect([countOf(12), countOf(1_000), countOf(4_200, false), countOf(undefined)]).toEqual([
      '12',
      '1,000 or more',
      '4,200',
      'Unknown',
    ]);
  });

  it('shows a lag only of messages that wait', () => {
    expect([lagOf({ messages: 2, lag_seconds: 61 }), lagOf({ messages: 0, lag_seconds: 0 }), lagOf(queue)]).toEqual([
      '1 min 1 s',
      '—',
      '—',
    ]);
  });

  it.each([
    [{}, 'OK'],
    [{ lag_seconds: 601 }, 'Behind'],
    [{ consumers: 0 }, 'No consumer'],
    [{ messages: undefined }, 'Unknown'],
  ])('names the state of a queue with %j', (change, word) => {
    expect(stateOfQueue({ ...queue, ...change }).word).toBe(word);
  });

  it.each([
    [{}, 'Running'],
    [{ responding: false }, 'Silent'],
    [{ broker_connected: false }, 'Broker away'],
    [{ outbox_lag_seconds: 121 }, 'Outbox behind'],
  ])('names the state of a process with %j', (change, word) => {
    expect(stateOfProcess({ ...process, ...change }).word).toBe(word);
  });

  it('names the broker', () => {
    expect(brokerOf({ kind: 'postgresql', connected: true })).toBe('Queues in PostgreSQL');
    expect(brokerOf({ kind: 'rabbitmq', connected: true, version: '4.1.0' })).toBe('RabbitMQ 4.1.0');
    expect(brokerOf({ kind: 'rabbitmq', connected: false })).toBe('RabbitMQ, not connected');
  });

  it('names services without a process, and versions that run side by side', () => {
    const processes = [process, { ...process, version: '1.1.0' }, { ...process, version: '0.9.0', responding: false }];
    expect(missingServices({ queues: [queue, { ...queue, service: 'sync-worker' }], processes })).toEqual([
      'sync-worker',
    ]);
    expect(versionsOf(processes)).toEqual(['1.0.0', '1.1.0']);
  });
});
