import { encodeId, newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { readFilter } from './scim-filter.js';

const uuid = newUuid();
const id = encodeId('scimResource', uuid);

describe('a filter', () => {
  it('is left to an index where there is one, whatever the case of its words', () => {
    expect(readFilter('User', undefined)).toEqual({ narrowing: {} });
    expect(readFilter('User', 'userName eq "Ada@Example.com"')).toEqual({ narrowing: { name: 'Ada@Example.com' } });
    expect(readFilter('User', 'USERNAME Eq "ada"')).toEqual({ narrowing: { name: 'ada' } });
    expect(readFilter('User', 'externalId eq "E1"')).toEqual({ narrowing: { externalId: 'E1' } });
    expect(readFilter('Group', 'displayName eq "Staff"')).toEqual({ narrowing: { name: 'Staff' } });
    expect(readFilter('User', `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"`)).toEqual({
      narrowing: { name: 'a' },
    });
  });

  it('for an id that nothing can have finds nothing: so Entra ID asks whether it can reach us', () => {
    expect(readFilter('User', 'id eq "7b1c9f1e-9f0c-4ac1-8f3e-1f0b3a1c2d3e"')).toEqual({ narrowing: { ids: [] } });
    expect(readFilter('Group', `id eq "${id}" and members eq "${id}"`)).toEqual({
      narrowing: { ids: [uuid], member: uuid },
    });
  });

  it('looks at the rest one by one, whatever the case of text', () => {
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
    expect(matches('active eq true')).toBe(true);
    expect(matches('active eq "False"')).toBe(false);
    expect(matches('userName eq "ada" or userName eq "bob"')).toBe(true);
    const both = readFilter('User', 'userName eq "ada" and title co "COUNT"');
    expect(both.narrowing).toEqual({ name: 'ada' });
    expect(both.matches?.(ada)).toBe(true);
    const twice = readFilter('User', 'userName eq "ada" and userName eq "bob"');
    expect(twice.matches?.(ada)).toBe(false);
  });

  it('is refused where it is none, or asks for what stands elsewhere', () => {
    for (const text of ['userName', 'userName eq', 'userName xx "a"', '(a eq "b"', `a eq "${'x'.repeat(5_000)}"`]) {
      expect(() => readFilter('User', text)).toThrow(/filter/);
    }
    expect(() => readFilter('User', 'groups.value eq "x"')).toThrow('cannot be filtered by groups.value');
    expect(() => readFilter('Group', 'not (members eq "x")')).toThrow('cannot be filtered by members');
  });
});
