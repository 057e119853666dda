import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { ChunkRequest, Listing } from '../listing/listing.js';
import { type CallIam, iamPage } from './iam-client.js';
import { classifyPrincipals, principalsOf } from './trust-policy.js';

const maxItems = 100;
const details = 'GetAccountAuthorizationDetails';
const madeByAws = /^\/(aws-service-role|aws-reserved)\//;
const administrator = /^arn:[a-z-]+:iam::aws:policy\/(AdministratorAccess|IAMFullAccess)$/;

/** Lists the roles of an account. Unlike ListRoles, this action includes the last use and the tags. */
export function iamRoles(call: CallIam, withAwsRoles: boolean): Listing {
  return {
    name: 'roles',
    async read({ at, limit, signal, budget }: ChunkRequest) {
      const parameters = {
        'Filter.member.1': 'Role',
        MaxItems: String(Math.min(limit, maxItems)),
        Marker: at && String(at.marker),
      };
      const result = await call(details, parameters, { signal, budget });
      const { items, marker } = iamPage(details, result, 'RoleDetailList');
      const roles = items.map((item) => (isObject(item) ? asDocument(item) : {}));
      return {
        documents: withAwsRoles
          ? roles
          : roles.filter((role) => !madeByAws.test(scalarText(valueAt(role, 'Path')) ?? '')),
        ...(marker !== undefined && { next: { marker, seen: (at?.seen ?? 0) + items.length } }),
        from: `${details} of IAM`,
      };
    },
  };
}

function asDocument(role: JsonObject): JsonObject {
  const policy = decoded(valueAt(role, 'AssumeRolePolicyDocument'));
  const principals = principalsOf(policy);
  return {
    ...role,
    AssumeRolePolicyDocument: policy,
    '@id': valueAt(role, 'RoleId'),
    '@type': 'role',
    '@name': valueAt(role, 'RoleName'),
    '@classification': classifyPrincipals(principals),
    '@status': 'active',
    '@privileged': isAdministrator(role),
    '@trusted_by': principals.map(({ kind, name }) => `${kind}:${name}`),
    '@last_used_at': valueAt(valueAt(role, 'RoleLastUsed'), 'LastUsedDate'),
  };
}

/** Returns whether an AWS administrator policy is attached directly. Policies of groups are ignored. */
export function isAdministrator(entity: JsonObject): boolean {
  const policies = valueAt(entity, 'AttachedManagedPolicies');
  return (
    Array.isArray(policies) &&
    policies.some((policy) => administrator.test(scalarText(valueAt(policy, 'PolicyArn')) ?? ''))
  );
}

/** Decodes a policy, which is URL-encoded JSON in XML. */
function decoded(document: unknown): unknown {
  try {
    return JSON.parse(decodeURIComponent(String(document)));
  } catch {
    // An unreadable policy yields no principals, but the role is still read.
    return undefined;
  }
}
