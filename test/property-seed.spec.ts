import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

describe('property tests', () => {
  it('try the cases of the seed that the environment names, or of seed 1', () => {
    const given = process.env.IDSYNC_PROPERTY_SEED ?? '1';
    expect(fc.readConfigureGlobal()?.seed).toBe(given === 'random' ? undefined : Number(given));
  });
});
