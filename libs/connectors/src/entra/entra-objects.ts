import type { EntraConfig, RecordKind } from '@idsync/contracts';
import { valueAt } from '../json/json-value.js';

/** The tenants in which Microsoft registers its own applications. */
const microsoft = new Set(['f8cdef31-a31e-4b4a-93e4-5f571e91255a', '72f988bf-86f1-41af-91ab-2d7cd011db47']);

interface Collection {
  collection: string;
  /** Properties for field discovery. */
  properties: readonly string[];
  /** Properties that are always requested. */
  needed: readonly string[];
  /** Names of related data that can be mapped. */
  related: readonly string[];
}

const users: Collection = {
  collection: '/users',
  needed: ['userType'],
  related: ['@groups'],
  properties: [
    'id,accountEnabled,userPrincipalName,displayName,mail,givenName,surname,jobTitle,employeeId,employeeType',
    'department,companyName,officeLocation,city,country,usageLocation,preferredLanguage,businessPhones,mobilePhone',
    'employeeHireDate,employeeOrgData,createdDateTime,userType,proxyAddresses,otherMails,mailNickname',
    'onPremisesSyncEnabled,onPremisesSamAccountName,onPremisesUserPrincipalName,onPremisesDistinguishedName',
    'onPremisesImmutableId,onPremisesSecurityIdentifier,onPremisesExtensionAttributes',
  ],
};

const servicePrincipals: Collection = {
  collection: '/servicePrincipals',
  needed: ['appId', 'appOwnerOrganizationId', 'servicePrincipalType', 'passwordCredentials', 'keyCredentials'],
  related: ['@owners', '@oldest_credential', '@first_expiry'],
  properties: [
    'id,appId,displayName,accountEnabled,servicePrincipalType,appOwnerOrganizationId,alternativeNames,tags',
    'appRoleAssignmentRequired,homepage,notes,servicePrincipalNames,signInAudience,verifiedPublisher',
  ],
};

export function collectionOf(kind: RecordKind): Collection {
  return kind === 'machine_identity' ? servicePrincipals : users;
}

/** Returns whether an object is selected. A user without a type is a member. */
export function isWanted(object: unknown, { user_types, microsoft_apps }: EntraConfig): boolean {
  const owner = valueAt(object, 'appOwnerOrganizationId');
  if (!microsoft_apps && typeof owner === 'string' && microsoft.has(owner.toLowerCase())) return false;
  if (valueAt(object, 'servicePrincipalType') !== undefined) return true;
  const type = valueAt(object, 'userType') === 'Guest' ? 'guest' : 'member';
  return user_types.includes(type);
}

/** Returns the first property of a path. */
export function propertyOf(path: string): string {
  const quoted = /^\s*\["((?:[^"\\]|\\.)*)"\]/.exec(path)?.[1];
  return quoted ?? /^[^.[]+/.exec(path.trim())?.[0] ?? path;
}
