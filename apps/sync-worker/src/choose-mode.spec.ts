import { describe, expect, it } from '@jest/globals';
import { chooseMode, type Knowledge } from './choose-mode.js';

const state = { checkpoint: { at: 7 }, configVersion: 2, runsSinceFull: 3 };
const known: Knowledge = { tellsChanges: true, configVersion: 2, state, fullEvery: null };
const changes = { mode: 'changes', since: { at: 7 } };
const full = { mode: 'full' };

describe('a job reads', () => {
  it('what has changed, where its source can tell and a run has left a checkpoint of this config', () => {
    expect(chooseMode('auto', known)).toEqual(changes);
    expect(chooseMode('auto', { ...known, tellsChanges: false })).toEqual(full);
    expect(chooseMode('auto', { ...known, configVersion: 3 })).toEqual(full);
    expect(chooseMode('auto', { ...known, state: undefined })).toEqual(full);
    expect(chooseMode('auto', { ...known, state: { ...state, checkpoint: null, configVersion: null } })).toEqual(full);
  });

  it('everything when it is due, unless changes were asked for', () => {
    expect(chooseMode('auto', { ...known, fullEvery: 5 })).toEqual(changes);
    expect(chooseMode('auto', { ...known, fullEvery: 4 })).toEqual(full);
    expect(chooseMode('changes', { ...known, fullEvery: 4 })).toEqual(changes);
    expect(chooseMode('auto', { ...known, state: { ...state, runsSinceFull: 99 } })).toEqual(full);
    expect(chooseMode('auto', { ...known, fullEvery: 1, state: { ...state, runsSinceFull: 0 } })).toEqual(full);
  });

  it('changes only, where the source misses none, unless its schedule says otherwise', () => {
    const seldom = { ...known, missesNothing: true, state: { ...state, runsSinceFull: 99_999 } };
    expect(chooseMode('auto', seldom)).toEqual(changes);
    expect(chooseMode('auto', { ...seldom, fullEvery: 100 })).toEqual(full);
  });

  it('everything when that is asked for, and says why if changes were asked for and there are none', () => {
    expect(chooseMode('full', known)).toEqual(full);
    expect(chooseMode('changes', { ...known, tellsChanges: false })).toEqual({
      ...full,
      whyFull: 'everything was read: the source cannot tell what has changed',
    });
    expect(chooseMode('changes', { ...known, state: undefined }).whyFull).toContain('no run has left a checkpoint');
  });
});
