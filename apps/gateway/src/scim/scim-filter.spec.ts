import { encodeId, newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { readFilter } from './scim-filter.js';

const uuid = newUuid();
const id = encodeId('scimResource', uuid);

describe('a SCIM filter', () => {
  it('uses an index if there is one, regardless of the case of keywords', () => {
    expect(readFilter('User', undefined)).toEqual({ narrowing: {} });
    expect(readFilter('User', 'userName eq "Ada@Example.com"')).toEqual({ narrowing: { name: 'Ada@Example.com' } });
    expect(readFilter('User', 'USERNAME Eq "ada"')).toEqual({ narrowing: { name: 'ada' } });
    expect(readFilter('User', 'externalId eq "E1"')).toEqual({ narrowing: { externalId: 'E1' } });
    expect(readFilter('Group', 'displayName eq "Staff"')).toEqual({ narrowing: { name: 'Staff' } });
    expect(readFilter('User', `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"`)).toEqual({
      narrowing: { name: 'a' },
    });
  });

  it.each(['ne', 'co', 'sw', 'ew', 'gt', 'le'])('with %s tests each resource also on an indexed attribute', (op) => {
    const { narrowing, matches } = readFilter('User', `userName ${op} "ada"`);
    expect(narrowing).toEqual({});
    expect(matches).toBeDefined();
  });

  it('with a second condition on an attribute of a group tests it on each resource', () => {
    const { narrowing, matches } = readFilter('Group', 'displayName eq "Staff" and displayName eq "All"');
    expect(narrowing).toEqual({ name: 'Staff' });
    expect(matches?.({ displayName: 'Staff' })).toBe(false);
  });

  it('for an impossible id returns nothing, which is the connection test of Entra ID', () => {
    expect(readFilter('User', 'id eq "7b1c9f1e-9f0c-4ac1-8f3e-1f0b3a1c2d3e"')).toEqual({ narrowing: { ids: [] } });
    expect(readFilter('Group', `id eq "${id}" and members eq "${id}"`)).toEqual({
      narrowing: { ids: [uuid], member: uuid },
    });
  });

  it('tests other conditions on each resource, case-insensitively', () => {
    const ada = {
      userName: 'ada',
      active: true,
      emails: [{ value: 'Ada@Work.example', type: 'work' }],
      title: 'Countess',
    };
    const matches = (text: string) => readFilter('User', text).matches?.(ada);
    expect(matches('emails[type eq "Work" and value ew "@work.example"]')).toBe(true);
    expect(matches('emails.value eq "ada@work.example"')).toBe(true);
    expect(matches('title pr and not (title sw "king")')).toBe(true);
    expect(matches('emails co "@"')).toBe(true);
    expect(matches('urn:ietf:params:scim:schemas:core:2.0:User:title eq "countess"')).toBe(true);
    expect(matches('active eq true')).toBe(true);
    expect(matches('active eq "False"')).toBe(false);
    expect(matches('userName eq "ada" or userName eq "bob"')).toBe(true);
    const both = readFilter('User', 'userName eq "ada" and title co "COUNT"');
    expect(both.narrowing).toEqual({ name: 'ada' });
    expect(both.matches?.(ada)).toBe(true);
    const twice = readFilter('User', 'userName eq "ada" and userName eq "bob"');
    expect(twice.matches?.(ada)).toBe(false);
  });

  it('in brackets must hold for one value, and compares each value of a list', () => {
    const emails = [
      { value: 'ada@work.example', type: 'work' },
      { value: 'ada@home.example', type: 'home' },
    ];
    const matches = (text: string) => readFilter('User', text).matches?.({ emails, schemas: ['urn:a', 'urn:b'] });
    expect(matches('emails[type eq "home" and value ew "@home.example"]')).toBe(true);
    expect(matches('emails[type eq "home" and value ew "@work.example"]')).toBe(false);
    expect(matches('schemas eq "URN:B"')).toBe(true);
    expect(matches('schemas eq "urn:c"')).toBe(false);
  });

  it('reads only the attributes that it names', () => {
    const resource = {
      title: 'Countess',
      get emails(): never {
        throw new Error('emails was read');
      },
    };
    expect(readFilter('User', 'title co "count" or name.givenName pr').matches?.(resource)).toBe(true);
    expect(() => readFilter('User', 'emails[type eq "work"]').matches?.(resource)).toThrow('emails was read');
  });

  it('matches nothing in a value that is no object, and compares names that only begin like members', () => {
    for (const value of [null, 'Countess', ['Countess']]) {
      expect(readFilter('User', 'title co "count"').matches?.(value)).toBe(false);
    }
    const crew = { displayName: 'Crew', urn: 1, 'crew.members': 'x' };
    expect(readFilter('Group', 'membership eq "x" or displayName co "crew"').matches?.(crew)).toBe(true);
  });

  it('of members finds groups by a member, in every notation', () => {
    for (const text of [`members eq "${id}"`, `members.value eq "${id}"`, `members[value eq "${id}"]`]) {
      expect(readFilter('Group', text)).toEqual({ narrowing: { member: uuid } });
    }
  });

  it('has at most 25 conditions', () => {
    const conditions = (length: number) => Array.from({ length }, (_, n) => `title co "${n}"`).join(' or ');
    expect(readFilter('User', conditions(25)).matches).toBeDefined();
    for (const text of [conditions(26), `not (${conditions(26)})`]) {
      expect(() => readFilter('User', text)).toThrow('filter must have at most 25 conditions');
    }
  });

  it('is rejected if it is invalid or names an attribute that is stored separately', () => {
    for (const text of ['userName', 'userName eq', 'userName xx "a"', '(a eq "b"', `a eq "${'x'.repeat(5_000)}"`]) {
      expect(() => readFilter('User', text)).toThrow(/filter/);
    }
    expect(() => readFilter('User', 'groups.value eq "x"')).toThrow(
      'filtering a User by groups.value is not supported',
    );
    for (const text of ['not (members eq "x")', 'members[display eq "x"]', 'members[values eq "x"]']) {
      expect(() => readFilter('Group', text)).toThrow('filtering a Group by members is not supported');
    }
  });
});
