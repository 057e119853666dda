import { describe, expect, it } from '@jest/globals';
import { pathOf, subjectPath, targetOf } from './id-targets.js';

const body = '01kg9t8yr0e008000000000001';
const shown = (id: string, record?: { identity_id?: string }) => {
  const target = targetOf(id);
  return target && pathOf(target, id, record);
};

describe('an id in the search of the console', () => {
  it('opens the screen of its kind', () => {
    expect(
      ['idn', 'job', 'whk', 'dlv', 'evt', 'con', 'mid', 'acc'].map((prefix) => shown(`${prefix}_${body}`)),
    ).toEqual([
      `/people/idn_${body}`,
      `/runs/job_${body}`,
      `/webhooks/whk_${body}`,
      `/deliveries/dlv_${body}`,
      `/events/evt_${body}`,
      `/sources/con_${body}`,
      `/machines/mid_${body}`,
      `/accounts/acc_${body}`,
    ]);
  });

  it('opens the person of a user, once it is found', () => {
    expect(shown(`usr_${body}`)).toBeUndefined();
    expect(shown(`usr_${body}`, { identity_id: 'idn_1' })).toBe('/people/idn_1?view=records');
    expect(shown(`usr_${body}`, {})).toBe('/people');
  });

  it.each(['ten_1', `xyz_${body}`, 'linh', `idn_${body}0`, `constructor_${body}`])('takes %s for text', (text) => {
    expect(targetOf(text)).toBeUndefined();
  });
});

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
