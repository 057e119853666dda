import { expect, it } from '@jest/globals';
import { describeFactor, describeMissing } from './describe-machine.js';

it('says in words why a machine has a risk, and names a factor that it does not know', () => {
  expect(describeFactor('long_lived_secret').title).toBe('Its secret has not been rotated for a long time');
  expect(describeFactor('leaked_key')).toEqual({ title: 'leaked key' });
});

it('says why a role has no person', () => {
  expect(describeMissing({ role: 'owned_by', identity_id: 'idn_1' })).toBeUndefined();
  expect(describeMissing({ role: 'owned_by' })).toContain('names no responsible person');
  expect(describeMissing({ role: 'owned_by', named: 'x@y.example' })).toContain('No person of the directory');
});
