import { describe, expect, it } from '@jest/globals';
import { durationOf, kindOf, stepsOf } from './describe-run.js';

const at = (minute: number) => `2026-11-24T10:${String(minute).padStart(2, '0')}:00.000Z`;

describe('a run as the console describes it', () => {
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
});
