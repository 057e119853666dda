import { encodeId, newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { readCriteria } from './read-criteria.js';

const uuid = newUuid();
const user = encodeId('user', uuid);
const group = encodeId('group', uuid);

/** Returns the detail of the refusal. */
function refusal(kind: 'User' | 'Group', text: string): string {
  try {
    return JSON.stringify(readCriteria(kind, text));
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a filter of SCIM users', () => {
  it.each([
    [undefined, {}],
    ['  ', {}],
    [`id eq "${user}"`, { id: uuid }],
    ['id eq "nonsense"', { id: '' }],
    ['userName eq "ann"', { userName: 'ann' }],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann"', { userName: 'ann' }],
    ['emails eq "a@x.org"', { email: 'a@x.org' }],
    ['emails.value eq "a@x.org"', { email: 'a@x.org' }],
    ['emails[value eq "a@x.org"]', { email: 'a@x.org' }],
    ['externalId eq "7"', { externalId: '7' }],
    [`groups.value eq "${group}"`, { groupId: uuid }],
    ['active eq true', { active: true }],
    ['meta.lastModified ge "2026-01-31T12:00:00Z"', { since: new Date('2026-01-31T12:00:00.000Z') }],
    ['meta.lastModified gt "2026-01-31T12:00:00Z"', { since: new Date('2026-01-31T12:00:00.001Z') }],
    ['active eq true and userName eq "ann"', { active: true, userName: 'ann' }],
  ])('%s is %j', (text, criteria) => {
    expect(readCriteria('User', text)).toEqual(criteria);
  });

  it.each([
    'userName co "ann"',
    'active eq false',
    'userName eq 7',
    'title eq "Lead"',
    'userName eq "a" or userName eq "b"',
    'userName eq "a" and userName eq "b"',
    'not (userName eq "a")',
    'meta.lastModified lt "2026-01-31T12:00:00Z"',
    'emails[type eq "work"]',
    'emails[value eq "a" and type eq "work"]',
    'title pr',
  ])('is refused with the supported ones: %s', (text) => {
    expect(refusal('User', text)).toMatch(/^filter may have id, userName, emails\.value, .* joined by and, each once$/);
  });

  it('has an id only alone, a bounded length and a date-time', () => {
    expect(refusal('User', `id eq "${user}" and active eq true`)).toMatch(/id only alone$/);
    expect(refusal('User', `userName eq "${'a'.repeat(5_000)}"`)).toBe('filter must have at most 4096 characters');
    const longest = `userName eq "${'a'.repeat(4_096 - 'userName eq ""'.length)}"`;
    expect(readCriteria('User', longest)).toHaveProperty('userName');
    expect(refusal('User', `${longest} `)).toBe('filter must have at most 4096 characters');
    for (const time of ['yesterday', '2026-13-31T12:00:00Z', 'Tue, 2026-10-31T12:00:00Z', '+002026-01-31T12:00:00Z'])
      expect(refusal('User', `meta.lastModified gt "${time}"`)).toMatch(/must be compared with a date-time$/);
  });
});

describe('a filter of SCIM groups', () => {
  it('is an id or a name', () => {
    expect(readCriteria('Group', `id eq "${group}"`)).toEqual({ id: uuid });
    expect(readCriteria('Group', 'displayName eq "Sales"')).toEqual({ displayName: 'Sales' });
  });

  it.each(['userName eq "ann"', 'displayName sw "S"', 'displayName eq true'])('is refused otherwise: %s', (text) => {
    expect(refusal('Group', text)).toBe('filter may have id or displayName with eq, each once');
  });
});
