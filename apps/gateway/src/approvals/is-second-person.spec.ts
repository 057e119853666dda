import { describe, expect, it } from '@jest/globals';
import { type IssuedActor, isSecondPerson } from './is-second-person.js';

const admin: IssuedActor = { kind: 'admin_token', name: 'operator', role: 'admin' };
const token = (name: string, issuer: string): IssuedActor => ({
  kind: 'service_token',
  id: `svt_${name}`,
  name,
  role: 'admin',
  issuer,
});
const eva = token('eva', 'operator');
const bob = token('bob', 'operator');

describe('an approver', () => {
  it.each([
    ['has a token of another name', eva, bob, true],
    ['has the same token', eva, eva, false],
    ['has another token of the same name', eva, { ...eva, id: 'svt_other' }, false],
    ['uses the token that the requester issued', admin, eva, false],
    ['issued the token of the requester', eva, admin, false],
    ['issued another token', token('eva', 'carol'), admin, true],
    ['is the shared token, as is the requester', admin, admin, false],
  ])('that %s counts as a second person only if nobody could act alone', (_, requester, approver, expected) => {
    expect(isSecondPerson(requester, approver)).toBe(expected);
  });
});
