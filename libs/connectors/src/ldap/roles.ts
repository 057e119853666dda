import { fingerprintOf } from './fingerprint.js';
import type { LdapSession } from './ldap-session.js';
import { parseFilter } from './parse-filter.js';

/** The entries of 389 Directory Server by which a role locks its members. They are listed only if a filter names them. */
const lockEntries = parseFilter(
  '(&(objectClass=ldapSubEntry)(|(objectClass=nsRoleDefinition)(objectClass=cosSuperDefinition)(objectClass=cosTemplate)))',
);

const content = ['nsRoleDN', 'nsRoleFilter', 'nsAccountLock', 'cosAttribute', 'cosTemplateDn'];

/** Returns a fingerprint of the roles below `base`. A lock of a role changes it, but no entry of a member. */
export function rolesFingerprint(session: LdapSession, base: string): Promise<string> {
  return fingerprintOf(session, { base, scope: 'sub', filter: lockEntries }, content);
}
