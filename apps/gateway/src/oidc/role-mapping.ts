import { decodeId, type OperatorRole, type RoleMapping } from '@idsync/contracts';

/** Assertions of an identity provider about a person. */
export type Claims = Readonly<Record<string, unknown>>;

export interface MappedRole {
  role: OperatorRole;
  /** Null: all tenants. */
  tenantIds: string[] | null;
}

/** Returns the role of the first entry that matches, or undefined: who is in no mapped group has no access. */
export function mappedRole(claims: Claims, groupsClaim: string, mapping: RoleMapping): MappedRole | undefined {
  const trusted = withoutUnverified(claims);
  const entry = mapping.find((each) =>
    'group' in each ? has(trusted, groupsClaim, each.group) : has(trusted, each.claim, each.value),
  );
  if (!entry) return undefined;
  // An id that is none stays in the list, so that an entry with a mistake never means all tenants.
  const tenantIds = entry.tenants?.flatMap((id) => decodeId('tenant', id) ?? []) ?? null;
  return { role: entry.role, tenantIds };
}

/** Leaves out an email address that the provider has not verified: a person may have entered the one of another. */
function withoutUnverified(claims: Claims): Claims {
  const { email: _, ...others } = claims;
  // Some providers write the value as a text.
  return String(claims.email_verified) === 'false' ? others : claims;
}

function has(claims: Claims, name: string, expected: string): boolean {
  const value = claimAt(claims, name);
  return Array.isArray(value) ? value.includes(expected) : value === expected;
}

/** Finds a claim by its name, or by a path such as `realm_access.roles`. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}

/** Returns the name of a person in the audit log: the email address unless it is unverified, then other names. */
export function nameIn(claims: Claims): string {
  const { email, preferred_username, name, sub } = withoutUnverified(claims);
  const candidates = [email, preferred_username, name, sub];
  const found = candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '');
  return (found ?? 'unknown').trim().slice(0, 200);
}
