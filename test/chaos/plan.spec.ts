import { describe, expect, it } from '@jest/globals';
import { readOptions } from './options.js';
import { type Fault, faultKinds, plan } from './plan.js';

function first(count: number, seed: number): Fault[] {
  const faults = plan(seed, faultKinds);
  return Array.from({ length: count }, () => faults.next().value);
}

describe('the plan of faults of a chaos run', () => {
  it('depends only on the seed', () => {
    expect(first(50, 7)).toEqual(first(50, 7));
    expect(first(50, 8)).not.toEqual(first(50, 7));
  });

  it('has every kind of fault once before any kind repeats', () => {
    const kinds = first(faultKinds.length, 3).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(faultKinds));
  });

  it('combines no two faults of the same service or link', () => {
    const joined = first(500, 11).flatMap((fault) => (fault.with ? [[fault.target, fault.with.target]] : []));
    expect(joined.length).toBeGreaterThan(50);
    expect(joined.filter(([one, other]) => one === other)).toEqual([]);
  });
});

describe('the arguments of a chaos run', () => {
  it.each([
    [['--minutes', '0'], '--minutes must be more than 0 and at most 1440, got 0'],
    [['--seed', 'x'], '--seed must be a whole number of 0 or more, got x'],
    [['--faults', 'kill,flood'], `--faults must be of ${faultKinds.join(', ')}, got flood`],
  ])('are rejected with the value and what is allowed: %s', (words, message) => {
    expect(() => readOptions(words)).toThrow(message);
  });
});
