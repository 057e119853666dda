import { describe, expect, it } from '@jest/globals';
import { seededRandom } from './support/seeded-random.js';

jest.mock('./support/seeded-random.js', () => ({ seededRandom: () => () => 0.5 }));

describe('the tests', () => {
  it('can replace a module before it is imported', () => {
    expect(seededRandom(1)()).toBe(0.5);
  });

  it('can use the original of a replaced module', () => {
    const actual = jest.requireActual<typeof import('./support/seeded-random.js')>('./support/seeded-random.js');
    expect(actual.seededRandom(1)()).not.toBe(0.5);
  });

  it('can load a module again', () => {
    const load = () => jest.requireActual<typeof import('./support/seeded-random.js')>('./support/seeded-random.js');
    const first = load();
    expect(load()).toBe(first);
    jest.resetModules();
    expect(load()).not.toBe(first);
  });
});
