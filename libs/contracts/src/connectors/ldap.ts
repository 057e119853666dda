import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, mapping } from './field-map.js';

const dn = text.min(1).max(4096);
const filter = text.min(3).max(8192);
/** A name, or an address in brackets; no path, and nobody's password. */
const ldapUrl = /^ldaps?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?\/?$/;
const secretAttribute =
  /^(unicodepwd|dbcspwd|(nt|lm)pwdhistory|pwdhistory|supplementalcredentials|krb.*key|ms-mcs-admpwd.*|sambapasswordhistory|.*password(history|id|v2)?|mslaps-.*password.*|msds-(managedpassword|keycredential).*|.*secret)$/i;

/** True of attributes that hold passwords or what stands for them: they are never asked for. */
export function isSecretLdapAttribute(name: string): boolean {
  return secretAttribute.test(name.split(';', 1)[0]?.trim() ?? '');
}

const groups = z.strictObject({
  nested: z.boolean().default(false).describe('Also the groups that the groups of an entry are in.'),
  named_by: z.enum(['name', 'dn']).default('name'),
  base_dn: dn.optional().describe('Only groups below this entry.'),
  filter: filter.optional().describe('Only these groups.'),
});

/**
 * `external_id` and `fields` are `ldapMappings` of the kind of server and of record where they are absent. Names of the mapping are
 * attributes, `dn`, or one of `ldapVirtualNames`.
 */
export const ldapConfig = z
  .strictObject({
    url: text.regex(ldapUrl, 'must be ldap://host, ldaps://host, either with a port, and nothing else'),
    unencrypted: z
      .boolean()
      .default(false)
      .describe('With ldap://: without StartTLS, so that everybody between reads the password and all data.'),
    ca: text
      .max(65_536)
      .regex(/-----BEGIN CERTIFICATE-----/, 'must be PEM')
      .optional()
      .describe('Who signed the certificate of the server, instead of the public authorities.'),
    server_name: text.min(1).max(253).optional().describe('The name in its certificate, if it is not that of the url.'),
    bind_dn: text.min(1).max(4096).optional().describe('Absent: anonymous.'),
    base_dn: dn,
    scope: z.enum(['subtree', 'one_level']).default('subtree'),
    filter: filter.optional(),
    anchor: text
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of an attribute')
      .optional()
      .describe('What orders the entries and names one for ever: objectGUID, or entryUUID.'),
    groups: groups.prefault({}),
    deleted_objects: z.boolean().default(false).describe('Active Directory: reads of changes ask its tombstones.'),
    overlap_seconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(120)
      .describe('By how much a read of changes reaches back, where the server tells them by time.'),
    external_id: mapping.external_id.optional(),
    fields: mapping.fields.optional(),
  })
  .superRefine(({ external_id = 'dn', fields = {} }, context) => {
    const named = Object.entries(fields).map(([field, source]) => [field, source] as const);
    for (const [field, source] of [['external_id', external_id] as const, ...named]) {
      const name = typeof source === 'string' ? source : 'from' in source ? source.from : '';
      if (!isSecretLdapAttribute(name)) continue;
      const path = field === 'external_id' ? [field] : ['fields', field];
      context.addIssue({ code: 'custom', path, message: `${name} holds a secret, which is never read` });
    }
  });
export type LdapConfig = z.infer<typeof ldapConfig>;

/** Absent together with `bind_dn`. An empty password would be an anonymous bind that looks like another. */
export const ldapSecrets = z.strictObject({ bind_password: text.min(1).max(1024).optional() });

/** What the connector makes of an entry, beside its attributes. */
export const ldapVirtualNames = ['dn', '@status', '@groups', '@owner'] as const;

export interface LdapMapping {
  filter: string;
  fields: FieldMap;
}

const windowsDate = (from: string) => ({ from, transform: [{ date: 'windows' as const }] });
const withoutServices = '(!(servicePrincipalName=*))';

/** What is read, and as what, if the configuration does not say it. */
export const ldapMappings: Record<'active_directory' | 'ldap', Record<RecordKind, LdapMapping>> = {
  active_directory: {
    user: {
      filter: `(&(objectCategory=person)(objectClass=user)(!(isCriticalSystemObject=TRUE))${withoutServices})`,
      fields: {
        user_principal_name: 'userPrincipalName',
        display_name: 'displayName',
        email: 'mail',
        employee_number: 'employeeID',
        first_name: 'givenName',
        last_name: 'sn',
        job_title: 'title',
        departments: 'department',
        groups: '@groups',
        status: '@status',
      },
    },
    account: {
      filter: `(&(objectCategory=person)(objectClass=user)${withoutServices})`,
      fields: {
        identifier: 'sAMAccountName',
        display_name: 'displayName',
        first_name: 'givenName',
        last_name: 'sn',
        job_title: 'title',
        source_system_id: 'objectSid',
        user_principal_name: 'userPrincipalName',
        email: 'mail',
        employee_number: 'employeeID',
        status: '@status',
        'attributes.password_set_at': windowsDate('pwdLastSet'),
        'attributes.expires_at': windowsDate('accountExpires'),
        'attributes.last_logon_at': windowsDate('lastLogonTimestamp'),
      },
    },
    machine_identity: {
      filter:
        '(&(!(isCriticalSystemObject=TRUE))(|(objectClass=msDS-GroupManagedServiceAccount)(objectClass=msDS-ManagedServiceAccount)(&(objectCategory=person)(objectClass=user)(servicePrincipalName=*))))',
      fields: {
        account_id: 'sAMAccountName',
        display_name: 'cn',
        classification: { value: 'service_account' },
        owned_by: '@owner',
        status: '@status',
        'attributes.service_principal_names': 'servicePrincipalName',
        // What the risk of a machine is told by.
        'attributes.secret_rotated_at': windowsDate('pwdLastSet'),
        'attributes.last_used_at': windowsDate('lastLogonTimestamp'),
        'attributes.privileged': { from: 'adminCount', transform: [{ map: { '0': 'false', '1': 'true' } }] },
      },
    },
  },
  ldap: {
    user: {
      filter: '(objectClass=inetOrgPerson)',
      fields: {
        user_principal_name: 'uid',
        display_name: 'cn',
        email: 'mail',
        employee_number: 'employeeNumber',
        first_name: 'givenName',
        last_name: 'sn',
        job_title: 'title',
        departments: 'departmentNumber',
        groups: '@groups',
        status: '@status',
      },
    },
    account: {
      filter: '(|(objectClass=inetOrgPerson)(objectClass=posixAccount))',
      fields: {
        identifier: 'uid',
        display_name: 'cn',
        first_name: 'givenName',
        last_name: 'sn',
        job_title: 'title',
        email: 'mail',
        employee_number: 'employeeNumber',
        status: '@status',
      },
    },
    machine_identity: {
      filter:
        '(|(objectClass=applicationProcess)(&(|(objectClass=account)(objectClass=simpleSecurityObject))(!(objectClass=posixAccount))))',
      fields: {
        account_id: 'dn',
        display_name: 'cn',
        classification: { value: 'service_account' },
        owned_by: '@owner',
        status: '@status',
        'attributes.secret_rotated_at': 'pwdChangedTime',
        'attributes.last_used_at': 'pwdLastSuccess',
      },
    },
  },
};
