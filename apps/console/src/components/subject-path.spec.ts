import { expect, it } from '@jest/globals';
import { subjectPath } from './subject-path.js';

it('leads to the machine of a finding, not to its owner', () => {
  expect(subjectPath('mid_1', 'idn_1')).toBe('/machines/mid_1');
});

it.each([
  ['con_1', undefined, '/sources/con_1'],
  ['idn_1', undefined, '/people/idn_1'],
  ['usr_1', 'idn_1', '/people/idn_1?view=records'],
  ['acc_1', 'idn_1', '/accounts/acc_1'],
  ['acc_1', undefined, '/accounts/acc_1'],
  ['usr_1', undefined, undefined],
  ['xyz_1', 'idn_1', undefined],
])('leads from %s of %s to %s', (subject, identity, path) => {
  expect(subjectPath(subject, identity)).toBe(path);
});
