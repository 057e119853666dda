import { scalarText, valueAt } from '../json/json-value.js';
import { type BatchRequests, getEach, listEach } from './graph-batch.js';

/** Values that are not part of an object, by mapping name. */
export type Related = ReadonlyMap<string, readonly string[]>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idOf = (object: unknown) => scalarText(valueAt(object, 'id')) ?? '';
const url = (id: string) => encodeURIComponent(id);

/** The related data of objects. The names of one entry are read together. */
const relations: {
  names: string[];
  of: (page: BatchRequests, objects: readonly unknown[], tenantId: string) => Promise<Related[]>;
}[] = [
  {
    names: ['@groups'],
    of: async (page, objects) => {
      const query = '$select=id,displayName&$top=999';
      const path = (id: string) => `/users/${url(id)}/transitiveMemberOf/microsoft.graph.group?${query}`;
      const lists = await listEach(page, objects.map(idOf).map(path));
      return lists.map((groups) => new Map([['@groups', texts(groups, 'displayName').sort()]]));
    },
  },
  {
    names: ['@owners'],
    of: async (page, objects) => {
      const path = (id: string) => `/servicePrincipals/${url(id)}/owners?$select=id,displayName,userPrincipalName`;
      const lists = await listEach(page, objects.map(idOf).map(path));
      // Only users count as owners. An owner may also be a service principal.
      return lists.map((owners) => new Map([['@owners', texts(owners, 'userPrincipalName').sort()]]));
    },
  },
  {
    names: ['@oldest_credential', '@first_expiry'],
    of: async (page, objects, tenantId) => {
      const select = '$select=id,appId,passwordCredentials,keyCredentials';
      const paths = objects.flatMap((object) => applicationOf(object, tenantId) ?? []);
      const apps = await getEach(
        page,
        paths.map((appId) => `/applications(appId='${url(appId)}')?${select}`),
      );
      const byId = new Map(paths.map((appId, index) => [appId, apps[index]]));
      return objects.map((object) => credentialTimes(object, byId.get(applicationOf(object, tenantId) ?? '')));
    },
  },
];

/** Reads the related data of each object that the mapping needs. */
export async function relatedTo(
  page: BatchRequests,
  names: readonly string[],
  objects: readonly unknown[],
  tenantId: string,
): Promise<Related[]> {
  const found = objects.map(() => new Map<string, readonly string[]>());
  for (const relation of relations) {
    if (!relation.names.some((name) => names.includes(name))) continue;
    const each = await relation.of(page, objects, tenantId);
    for (const [index, values] of each.entries()) for (const [name, list] of values) found[index]?.set(name, list);
  }
  return found;
}

/**
 * Returns the application registration that has the credentials of a service principal. Managed identities have none,
 * and registrations of other tenants are not visible.
 */
function applicationOf(object: unknown, tenantId: string): string | undefined {
  if (valueAt(object, 'servicePrincipalType') === 'ManagedIdentity') return undefined;
  const owner = scalarText(valueAt(object, 'appOwnerOrganizationId'));
  // If the tenant is configured by its domain, all applications are requested.
  if (owner !== undefined && uuid.test(tenantId) && owner.toLowerCase() !== tenantId.toLowerCase()) return undefined;
  return scalarText(valueAt(object, 'appId'));
}

/** Returns the start of the oldest credential and the earliest expiry, but nothing of the credentials. */
function credentialTimes(...holders: unknown[]): Related {
  const credentials = holders.flatMap((holder) =>
    ['passwordCredentials', 'keyCredentials'].flatMap((name) => {
      const list = valueAt(holder, name);
      return Array.isArray(list) ? list : [];
    }),
  );
  const first = (name: string) => texts(credentials, name).sort().slice(0, 1);
  return new Map([
    ['@oldest_credential', first('startDateTime')],
    ['@first_expiry', first('endDateTime')],
  ]);
}

function texts(objects: readonly unknown[], name: string): string[] {
  return objects.flatMap((object) => scalarText(valueAt(object, name)) ?? []);
}
