import { describe, expect, it } from '@jest/globals';
import { OftenUsed } from './often-used.js';

function executed(often: OftenUsed, text: string, times: number): (string | undefined)[] {
  return Array.from({ length: times }, () => often.nameOf(text));
}

describe('statements that are used often', () => {
  it('are prepared from the twenty-first execution on, each with one name', () => {
    const often = new OftenUsed();
    expect(executed(often, 'select $1', 20)).toEqual(Array(20).fill(undefined));
    const [name, ...others] = new Set(executed(often, 'select $1', 5));
    expect([typeof name, others]).toEqual(['string', []]);
    expect(executed(often, 'select $2', 21).at(-1)).not.toBe(name);
  });

  it('are prepared again under another name, once a table has changed', () => {
    const often = new OftenUsed();
    const name = executed(often, 'select $1', 21).at(-1);
    const renamed = often.rename('select $1');
    expect(renamed).not.toBe(name);
    expect(often.nameOf('select $1')).toBe(renamed);
  });

  it('are at most a hundred, which keep their names', () => {
    const often = new OftenUsed();
    const names = Array.from({ length: 150 }, (_, n) => executed(often, `select ${n}, $1`, 21).at(-1));
    expect(new Set(names.slice(0, 100)).size).toBe(100);
    expect(names.slice(100)).toEqual(Array(50).fill(undefined));
    expect(often.nameOf('select 0, $1')).toBe(names[0]);
  });

  it.each([
    ['keep', 999, true],
    ['lose', 1_000, false],
  ])('%s their counts beside %d rare statements', (_, others, isCounted) => {
    const often = new OftenUsed();
    // A prepared statement is not counted.
    executed(often, 'select $2', 21);
    executed(often, 'select $1', 20);
    for (let n = 0; n < others; n += 1) often.nameOf(`select ${n}, $1`);
    expect(often.nameOf('select $1') !== undefined).toBe(isCounted);
  });

  it('are found among any number of statements with a text of one use', () => {
    const often = new OftenUsed();
    for (let n = 0; n < 10_000; n += 1) expect(often.nameOf(`select ${n}, $1`)).toBeUndefined();
    expect(executed(often, 'select $1', 21).at(-1)).toBeDefined();
  });
});
