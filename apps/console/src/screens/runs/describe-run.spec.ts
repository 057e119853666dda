import { describe, expect, it } from '@jest/globals';
import { appliedWords, durationOf, kindOf, phasesOf, stepsOf } from './describe-run.js';

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
