import { encodeId, newUuid, type RoleMapping, roleMapping } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { claimAt, mappedRole, nameIn } from './role-mapping.js';

const uuid = newUuid();
const mapping: RoleMapping = [
  { group: 'admins', role: 'admin' },
  { group: 'hr', role: 'operator', tenants: [encodeId('tenant', uuid)] },
  { claim: 'email', value: 'eva@example.com', role: 'auditor' },
];
const roleOf = (claims: object, claim = 'groups') => mappedRole({ ...claims }, claim, mapping);

describe('the role of a person', () => {
  it('is that of the first entry with one of its groups or claims', () => {
    expect(roleOf({ groups: ['hr', 'admins'] })).toEqual({ role: 'admin', tenantIds: null });
    expect(roleOf({ groups: ['hr'] })).toEqual({ role: 'operator', tenantIds: [uuid] });
    expect(roleOf({ groups: 'hr' })).toEqual({ role: 'operator', tenantIds: [uuid] });
    expect(roleOf({ groups: [], email: 'eva@example.com' })).toEqual({ role: 'auditor', tenantIds: null });
  });

  it.each([
    {},
    { groups: [] },
    { groups: ['admin', 'ADMINS'] },
    { groups: 'admins,hr' },
    { groups: { admins: true } },
    { groups: null },
  ])('does not exist without an entry: %j', (claims) => {
    expect(roleOf(claims)).toBeUndefined();
  });

  it.each([false, 'false'])('is not given by an email address whose verification is %j', (email_verified) => {
    const claims = { email: 'eva@example.com', email_verified };
    expect(roleOf(claims)).toBeUndefined();
    expect(mappedRole(claims, 'email', [{ group: 'eva@example.com', role: 'admin' }])).toBeUndefined();
    expect(roleOf({ ...claims, groups: ['hr'] })?.role).toBe('operator');
    expect(roleOf({ ...claims, email_verified: true })?.role).toBe('auditor');
  });

  it('can be in a nested claim, or in one whose name has dots', () => {
    expect(roleOf({ realm_access: { roles: ['admins'] } }, 'realm_access.roles')?.role).toBe('admin');
    expect(roleOf({ 'https://example.com/groups': ['admins'] }, 'https://example.com/groups')?.role).toBe('admin');
    expect(claimAt({ a: 'text' }, 'a.length')).toBeUndefined();
    expect(claimAt({}, 'constructor.name')).toBeUndefined();
  });

  it('is never valid for all tenants because of a mistake in the mapping', () => {
    for (const tenants of [[], ['ten_wrong'], 'all', null]) {
      expect(roleMapping.safeParse([{ group: 'hr', role: 'admin', tenants }]).success).toBe(false);
    }
    for (const entry of [
      { role: 'admin' },
      { group: 'x', role: 'root' },
      { group: '', role: 'admin' },
      { group: 'x', claim: 'y', role: 'admin' },
    ]) {
      expect(roleMapping.safeParse([entry]).success).toBe(false);
    }
    expect(roleMapping.parse(mapping)).toEqual(mapping);
  });
});

describe('the name of a person in the audit log', () => {
  it('is the email address unless it is unverified, then another name, then the subject', () => {
    const all = { email: 'e@example.com', preferred_username: 'eva', name: 'Eva', sub: '1' };
    expect(nameIn(all)).toBe('e@example.com');
    expect(nameIn({ ...all, email_verified: false })).toBe('eva');
    expect(nameIn({ name: ' Eva ', sub: '1' })).toBe('Eva');
    expect(nameIn({ email: '', name: 7, sub: '1' })).toBe('1');
    expect(nameIn({})).toBe('unknown');
  });
});
