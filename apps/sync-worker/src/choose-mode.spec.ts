import { describe, expect, it } from '@jest/globals';
import { type ConnectorFacts, chooseMode } from './choose-mode.js';

const hour = 3_600_000;
const completeAsOf = new Date('2026-01-31T12:00:00Z');
const hoursLater = (hours: number) => new Date(completeAsOf.getTime() + hours * hour);
const state = { checkpoint: { at: 7 }, configVersion: 2, runsSinceFull: 3, completeAsOf };
const known: ConnectorFacts = {
  reportsChanges: true,
  configVersion: 2,
  state,
  fullEvery: null,
  fullEveryHours: null,
  nextRunAt: hoursLater(1),
};
const changes = { mode: 'changes', since: { at: 7 } };
const full = { mode: 'full' };

describe('chooseMode', () => {
  it('returns an incremental run if the source reports changes and there is a checkpoint for the configuration', () => {
    expect(chooseMode('auto', known)).toEqual(changes);
    expect(chooseMode('auto', { ...known, reportsChanges: false })).toEqual(full);
    expect(chooseMode('auto', { ...known, configVersion: 3 })).toEqual(full);
    expect(chooseMode('auto', { ...known, state: undefined })).toEqual(full);
    expect(chooseMode('auto', { ...known, state: { ...state, checkpoint: null, configVersion: null } })).toEqual(full);
  });

  it('returns a full run when one is due, unless an incremental run was requested', () => {
    expect(chooseMode('auto', { ...known, fullEvery: 5 })).toEqual(changes);
    expect(chooseMode('auto', { ...known, fullEvery: 4 })).toEqual(full);
    expect(chooseMode('changes', { ...known, fullEvery: 4 })).toEqual(changes);
    expect(chooseMode('auto', { ...known, state: { ...state, runsSinceFull: 99 } })).toEqual(full);
    expect(chooseMode('auto', { ...known, fullEvery: 1, state: { ...state, runsSinceFull: 0 } })).toEqual(full);
  });

  it('returns a full run if the last complete one would be older than full_every_hours at the next run', () => {
    expect(chooseMode('auto', { ...known, nextRunAt: hoursLater(24) })).toEqual(changes);
    expect(chooseMode('auto', { ...known, nextRunAt: hoursLater(24.1) })).toEqual(full);
    expect(chooseMode('auto', { ...known, fullEveryHours: 48, nextRunAt: hoursLater(47) })).toEqual(changes);
    expect(chooseMode('auto', { ...known, fullEveryHours: 48, nextRunAt: hoursLater(49) })).toEqual(full);
    expect(chooseMode('auto', { ...known, fullEveryHours: 48, fullEvery: 4 })).toEqual(full);
    expect(chooseMode('changes', { ...known, nextRunAt: hoursLater(100) })).toEqual(changes);
  });

  it('returns a full run if no complete one is recorded', () => {
    expect(chooseMode('auto', { ...known, state: { ...state, completeAsOf: null } })).toEqual(full);
  });

  it('returns only incremental runs if the source reports every change, unless the schedule has full_every', () => {
    const seldom = {
      ...known,
      reportsEveryChange: true,
      state: { ...state, runsSinceFull: 99_999 },
      nextRunAt: hoursLater(1_000),
    };
    expect(chooseMode('auto', seldom)).toEqual(changes);
    expect(chooseMode('auto', { ...seldom, fullEvery: 100 })).toEqual(full);
  });

  it('returns a requested full run, and a full run with a reason if a requested incremental run is impossible', () => {
    expect(chooseMode('full', known)).toEqual(full);
    expect(chooseMode('changes', { ...known, reportsChanges: false })).toEqual({
      ...full,
      whyFull: 'everything was read: the source cannot report changes',
    });
    expect(chooseMode('changes', { ...known, state: undefined }).whyFull).toContain('there is no checkpoint');
  });
});
