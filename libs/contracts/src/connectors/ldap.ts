import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, fieldMap, mapped, sourceName } from './field-map.js';
import { flag, neutral, secret, target } from './field-marks.js';
import { isSecretLdapAttribute, mappedNames, refuseSecretAttributes, secretRefused } from './secret-attributes.js';

const dn = text.min(1).max(4096);
const filter = text.min(3).max(8192);
/** A host name, or an address in brackets; no path and no credentials. */
const ldapUrl = /^ldaps?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(:\d{1,5})?\/?$/;
/**
 * An attribute name with options. `*`, `+` and `@class` are excluded, because they select several attributes including
 * secrets.
 */
const attributeName = /^[a-z][\w-]*(;[\w=*-]+)*$/i;

const groups = z.strictObject({
  nested: flag(false, 'Whether nested groups are included.'),
  named_by: neutral(z.enum(['name', 'dn']).default('name')),
  base_dn: neutral(dn.optional().describe('Only groups below this entry are read.')),
  filter: neutral(filter.optional().describe('Only groups that match this filter are read.')),
});

/**
 * Without `external_id` and `fields`, `ldapMappings` of the kind of server and record apply. A mapping contains
 * attributes, `dn` and `ldapVirtualNames`.
 */
export const ldapConfig = z
  .strictObject({
    url: target(text.regex(ldapUrl, 'must be ldap://host or ldaps://host with an optional port')),
    unencrypted: target(
      z
        .boolean()
        .default(false)
        .describe(
          'Whether ldap:// is used without StartTLS. The password and all data are then readable in the network.',
        ),
    ),
    ca: target(
      text
        .max(65_536)
        .regex(/-----BEGIN CERTIFICATE-----/, 'must be PEM')
        .optional()
        .describe('Certificate authorities in PEM that are trusted instead of the public ones.'),
    ),
    server_name: target(
      text.min(1).max(253).optional().describe('The host name in the server certificate, if it differs from `url`.'),
    ),
    bind_dn: target(text.min(1).max(4096).optional().describe('DN for the bind; anonymous if absent.')),
    base_dn: neutral(dn),
    scope: neutral(z.enum(['subtree', 'one_level']).default('subtree')),
    filter: neutral(filter.optional()),
    anchor: neutral(
      text
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of an attribute')
        .optional()
        .describe(
          'The attribute that identifies an entry permanently and orders the list. Default: objectGUID or entryUUID; in 389 Directory Server nsUniqueId for entries without entryUUID.',
        ),
    ),
    groups: neutral(groups.prefault({})),
    deleted_objects: flag(false, 'Whether incremental reads detect deletions by the tombstones of Active Directory.'),
    overlap_seconds: neutral(
      z
        .int()
        .min(1)
        .max(86_400)
        .default(120)
        .describe('Overlap of incremental reads in seconds, if the server reports changes by time.'),
    ),
    external_id: neutral(sourceName.optional()),
    fields: neutral(fieldMap.optional()),
  })
  .superRefine((config, context) => {
    refuseSecretAttributes(config, context);
    const { anchor = '' } = config;
    if (isSecretLdapAttribute(anchor)) {
      context.addIssue({ code: 'custom', path: ['anchor'], message: secretRefused(anchor) });
    }
    for (const { path, name } of mappedNames(config)) {
      if (isVirtual(name) || attributeName.test(name.trim()) || isSecretLdapAttribute(name)) continue;
      const message = `${name} must be the name of an attribute or one of ${ldapVirtualNames.join(', ')}`;
      context.addIssue({ code: 'custom', path, message });
    }
  });
export type LdapConfig = z.infer<typeof ldapConfig>;

/** Absent if `bind_dn` is absent. An empty password would silently become an anonymous bind. */
const secrets = z.strictObject({ bind_password: secret(text.min(1).max(1024).optional()) });

export const ldap = defineConnector({ config: ldapConfig, secrets, reportsChanges: 'always' });

/** Names of computed values that can be mapped in addition to attributes. */
export const ldapVirtualNames = ['dn', '@status', '@groups', '@owner'] as const;

const isVirtual = (name: string) => (ldapVirtualNames as readonly string[]).includes(name.trim());

export interface LdapMapping {
  filter: string;
  fields: FieldMap;
}

const windowsDate = (from: string) => ({ from, transform: [{ date: 'windows' as const }] });

const name = { first_name: 'givenName', last_name: 'sn', job_title: 'title', email: 'mail', status: '@status' };
const person = { display_name: 'cn', employee_number: 'employeeNumber', ...name };
const windowsPerson = {
  user_principal_name: 'userPrincipalName',
  display_name: 'displayName',
  other_emails: 'proxyAddresses',
  employee_number: 'employeeID',
  ...name,
};

/**
 * The default filters and mappings. The persons of Active Directory include those with a service principal name, which
 * are people only if they are known as such.
 */
export const ldapMappings: Record<'active_directory' | 'ldap', Record<RecordKind, LdapMapping>> = {
  active_directory: {
    user: {
      filter: '(&(objectCategory=person)(objectClass=user)(!(isCriticalSystemObject=TRUE)))',
      fields: { ...windowsPerson, departments: 'department', groups: '@groups' },
    },
    account: {
      filter: '(&(objectCategory=person)(objectClass=user))',
      fields: {
        identifier: 'sAMAccountName',
        source_system_id: 'objectSid',
        ...windowsPerson,
        groups: '@groups',
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
        // Attributes for the risk score of a machine.
        'attributes.secret_rotated_at': windowsDate('pwdLastSet'),
        'attributes.last_used_at': windowsDate('lastLogonTimestamp'),
        'attributes.privileged': mapped('adminCount', { '0': 'false', '1': 'true' }),
      },
    },
  },
  ldap: {
    user: {
      // A posixAccount alone may be a service. nsPerson is a person of 389 Directory Server.
      filter: '(|(objectClass=inetOrgPerson)(objectClass=nsPerson))',
      fields: { user_principal_name: 'uid', ...person, departments: 'departmentNumber', groups: '@groups' },
    },
    account: {
      filter: '(|(objectClass=inetOrgPerson)(objectClass=nsPerson)(objectClass=posixAccount))',
      fields: { identifier: 'uid', ...person, groups: '@groups' },
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
