import { type EntraConfig, entraFields, type RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Connector,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { foundIn } from '../find-by-full-read.js';
import { ApiClient, withoutEndSlashes } from '../http/api-client.js';
import {
  type ApiAccess,
  apiConnector,
  getOne,
  mapItems,
  parseCursor,
  secretOf,
  withRelated,
} from '../http/api-source.js';
import { clientCredentials } from '../http/authenticate.js';
import type { HttpTransport } from '../http/http-transport.js';
import { listIn, listPlace, readList } from '../http/paging.js';
import { WaitBudget } from '../http/waiting.js';
import { jsonReader } from '../json/json-path.js';
import { isObject, scalarText, valueAt } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { askDelta, type DeltaQuery, deltaLinkOfNow } from './graph-delta.js';
import { relatedTo } from './graph-related.js';

const entraCursor = listPlace.extend({
  /** In a full read: the delta link for changes since its start. */
  checkpoint: z.string().optional(),
});
const entraCheckpoint = z.object({ link: z.string().min(1) });
const discovered = 20;
const notFound = 'Request_ResourceNotFound';

/**
 * Creates a connector for users of a Microsoft Entra ID tenant, or for its service principals as machine identities.
 */
export function entraConnector(records: RecordKind, config: EntraConfig, access: ApiAccess): Connector {
  const fields = config.fields ?? entraFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const { collection, properties, needed, related } = collectionOf(records);
  for (const name of names.filter((name) => name.startsWith('@'))) {
    if (!related.includes(name))
      throw new SourceError(`"${name}" is not available for records of this kind`, 'misconfigured');
  }
  const own = names.filter((name) => !name.startsWith('@'));
  const valuesOf = jsonReader(own);
  const select = [...new Set(['id', ...needed, ...own.map(propertyOf)])];
  // Related data changes without the object, and deletions are reported by id only.
  const reportsChanges = own.length === names.length && config.external_id === 'id';

  async function* read(
    { client, transport }: Graph,
    { since, cursor, pageSize, signal }: ReadOptions,
  ): AsyncGenerator<Page> {
    const query: DeltaQuery = { client, collection, select, signal };
    const left = cursor && parseCursor(entraCursor, cursor);
    if (since && !reportsChanges) throw new CheckpointExpired('this mapping does not support incremental reads');
    const begin = since ? parseCursor(entraCheckpoint, since).link : '';
    // The delta link dates from before the read, so that the next incremental read reports changes during it.
    const checkpoint = since || !reportsChanges ? undefined : (left?.checkpoint ?? (await deltaLinkOfNow(query)));

    const ask = (next: string) => askDelta(query, next || begin);
    for await (const { items, place, answer, last } of readList(ask, { pageSize, signal }, left)) {
      const { there, gone } = finalRecords(items, (object) => isWanted(object, config));
      const page: Page = {
        ...(await mapped(there, place.seen - items.length + 1, { client, transport }, signal)),
        cursor: { ...place, ...(checkpoint !== undefined && { checkpoint }) },
        ...(since && { removed: gone }),
        last,
      };
      const link = checkpoint ?? answer.deltaLink;
      if (last && reportsChanges && link !== undefined) page.checkpoint = { link };
      yield page;
    }
  }

  async function mapped(there: readonly unknown[], line: number, { client, transport }: Graph, signal: AbortSignal) {
    const budget = new WaitBudget(transport.limits.waitMs);
    const about = { requests: client.page(signal, budget), budget, limits: transport.limits, signal };
    const related = await relatedTo(about, names, there, config.tenant_id);
    return mapItems(there, line, mapping, withRelated(valuesOf, there, related));
  }

  async function requestOne(graph: Graph, externalId: string, signal: AbortSignal): Promise<FoundRecord> {
    const requests = graph.client.page(signal);
    const answer = await getOne(
      requests,
      `${collection}/${encodeURIComponent(externalId)}`,
      { reason: notFound, query: { $select: select.join(',') }, shownAs: `${collection}/{id}` },
      async () => listIn(await requests.get(collection, { query: { $select: 'id', $top: 1 } }), 'value'),
    );
    // The endpoint also accepts user names, which are not ids.
    const there = answer === undefined ? [] : [answer.body].filter((object) => isWanted(object, config));
    return foundIn(await mapped(there, 0, graph, signal), externalId);
  }

  return apiConnector<Graph>({
    access,
    reportsChanges,
    reportsDeletions: true,
    connect: (transport) => ({ client: clientOf(transport, config, access), transport }),
    read: (graph, options) => withoutExpiry(read(graph, options), options),
    requestOne: config.external_id === 'id' && requestOne,
    async discover({ client }, signal) {
      const query = { $select: properties.join(','), $top: discovered };
      const answer = await client.page(signal).get(collection, { query });
      return [...jsonFields(listIn(answer, 'value')), ...related.map((name) => ({ name, examples: [] }))];
    },
  });
}

interface Graph {
  client: ApiClient;
  transport: HttpTransport;
}

function clientOf(transport: HttpTransport, config: EntraConfig, access: ApiAccess): ApiClient {
  const auth = clientCredentials(transport, {
    tokenUrl: `${withoutEndSlashes(config.login_url)}/${encodeURIComponent(config.tenant_id)}/oauth2/v2.0/token`,
    clientId: config.client_id,
    clientSecret: secretOf(access, 'client_secret'),
    scope: `${new URL(config.url).origin}/.default`,
    send: 'form',
  });
  return new ApiClient(transport, { baseUrl: `${withoutEndSlashes(config.url)}/v1.0`, auth });
}

/** Returns the last state of each object of a page: present, or gone if it was deleted or is no longer selected. */
function finalRecords(
  items: readonly unknown[],
  wanted: (object: unknown) => boolean,
): { there: unknown[]; gone: string[] } {
  const there = new Map<string, unknown>();
  const gone = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = scalarText(valueAt(item, 'id'));
    // An object without an id becomes a record error.
    const key = id ?? `\0${index}`;
    there.delete(key);
    gone.delete(key);
    if (isObject(valueAt(item, '@removed')) || !wanted(item)) {
      if (id !== undefined) gone.add(id);
    } else there.set(key, item);
  }
  return { there: [...there.values()], gone: [...gone] };
}

/** Converts an expiry during a full read to SourceError, because it affects a page cursor and not a checkpoint. */
async function* withoutExpiry(pages: AsyncIterable<Page>, { since }: ReadOptions): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    if (since || !(error instanceof CheckpointExpired)) throw error;
    throw new SourceError(`${error.message}: its page cursor has expired, so a new full read is necessary`, 'changed');
  }
}

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

function collectionOf(kind: RecordKind): Collection {
  return kind === 'machine_identity' ? servicePrincipals : users;
}

/** Returns whether an object is selected. A user without a type is a member. */
function isWanted(object: unknown, { user_types, microsoft_apps }: EntraConfig): boolean {
  const owner = valueAt(object, 'appOwnerOrganizationId');
  if (!microsoft_apps && typeof owner === 'string' && microsoft.has(owner.toLowerCase())) return false;
  if (valueAt(object, 'servicePrincipalType') !== undefined) return true;
  const type = valueAt(object, 'userType') === 'Guest' ? 'guest' : 'member';
  return user_types.includes(type);
}

/** Returns the first property of a path. */
function propertyOf(path: string): string {
  const quoted = /^\s*\["((?:[^"\\]|\\.)*)"\]/.exec(path)?.[1];
  return quoted ?? /^[^.[]+/.exec(path.trim())?.[0] ?? path;
}
