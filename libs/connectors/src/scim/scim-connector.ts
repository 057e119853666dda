import { type RecordKind, type ScimConfig, scimFields } from '@idsync/contracts';
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
import { ApiClient } from '../http/api-client.js';
import { type ApiAccess, apiConnector, getOne, parseCursor } from '../http/api-source.js';
import { authenticate } from '../http/authenticate.js';
import { StatusError } from '../http/failures.js';
import { isObject, scalarText, valueAt } from '../json/json-value.js';
import { type Mapping, mapRecord, namesOf, type Values, type ValuesOf } from '../map-record.js';
import { sourceNames } from '../transform.js';
import {
  type ListingPage,
  listByCursor,
  listByIndex,
  listingState,
  type ScimList,
  scimAnswer,
} from './list-resources.js';
import {
  askService,
  changedSince,
  checkpointNow,
  isFilterRefused,
  requireReportableChanges,
  type ScimService,
  scimCheckpoint,
} from './scim-changes.js';
import { scimReader } from './scim-values.js';

/** The mapping name for the names of all groups of a resource, read from the members of the groups. */
const groupsName = '@groups';
const groupPageSize = 200;
const discovered = 50;
const notAPosition = 'the cursor is not a position in a SCIM source';

const scimCursor = listingState.extend({ ...scimCheckpoint.partial().shape, by: z.enum(['index', 'cursor']) });

/** Creates a connector for resources of a SCIM 2.0 service. */
export function scimConnector(records: RecordKind, config: ScimConfig, access: ApiAccess): Connector {
  const fields = config.fields ?? scimFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const own = scimReader(names.filter((name) => name !== groupsName));
  const path = `/${config.resource}`;

  async function* readWith(client: ApiClient, options: ReadOptions): AsyncGenerator<Page> {
    const { since, cursor, pageSize, signal } = options;
    const service = await askService(client, signal);
    const left = cursor && parseCursor(scimCursor, cursor, notAPosition);
    const by = left?.by ?? (service.pagesByCursor ? 'cursor' : 'index');
    const needsGroups = names.some((name) => /^@?groups\b/.test(name));
    const watched = { client, path, filter: config.filter, needsGroups, signal };
    // Taken before the first page, so that the next job reads all changes from then on.
    const begun = left
      ? scimCheckpoint.safeParse(left).data
      : config.changes && (await checkpointNow(watched, service));
    const before = since && parseCursor(scimCheckpoint, since, notAPosition);
    if (before && !left) await requireReportableChanges(watched, before, begun);

    const conditions = [config.filter && `(${config.filter})`, before && changedSince(before)].filter(Boolean);
    const query = { ...(conditions.length > 0 && { filter: conditions.join(' and ') }) };
    const list = { client, path, query: sorted(query, service), pageSize, signal };
    const groupsOf = names.includes(groupsName) ? await allGroups(client, service, signal) : undefined;
    for await (const { resources, place, state, last } of by === 'cursor'
      ? listByCursor(list, left)
      : listByIndex(list, left)) {
      const page: Page = { ...mapped(resources, place, groupsOf), cursor: { ...state, ...begun, by }, last };
      if (state.total > 0) page.fraction = Math.min(1, state.seen / state.total);
      if (last && begun) page.checkpoint = begun;
      yield page;
    }
  }

  function mapped(resources: readonly unknown[], place: number, groupsOf: GroupsOf | undefined) {
    const page: Pick<Page, 'records' | 'errors'> = { records: [], errors: [] };
    for (const [index, resource] of resources.entries()) {
      const mapped = mapRecord(mapping, valuesIn(resource, groupsOf));
      if ('record' in mapped) page.records.push(mapped.record);
      else page.errors.push({ line: place + index, ...mapped.error });
    }
    return page;
  }

  async function* read(client: ApiClient, options: ReadOptions): AsyncGenerator<Page> {
    try {
      yield* readWith(client, options);
    } catch (error) {
      if (options.since && isFilterRefused(error))
        throw new CheckpointExpired('the service does not support filters by modification time');
      throw error;
    }
  }

  /** Returns undefined if the service finds none, because it may not support the filter. */
  async function requestOne(
    client: ApiClient,
    externalId: string,
    signal: AbortSignal,
  ): Promise<FoundRecord | undefined> {
    const found = await findResources(client, config, externalId, signal);
    if (found.proven) return 'absent';
    const service = found.resources.length > 0 && names.includes(groupsName) && (await askService(client, signal));
    const groupsOf = service ? await allGroups(client, service, signal) : undefined;
    const page = mapped(found.resources, 0, groupsOf);
    // A service that also returns other resources has not applied the filter.
    if (page.records.length + page.errors.length !== 1) return undefined;
    const said = foundIn(page, externalId);
    return said === 'absent' ? undefined : said;
  }

  function valuesIn(resource: unknown, groupsOf: GroupsOf | undefined): ValuesOf {
    const values = own(resource);
    const id = scalarText(valueAt(resource, 'id')) ?? '';
    return (name, forOne) => (name === groupsName ? (groupsOf?.(id) ?? []) : values(name, forOne));
  }

  return apiConnector({
    access: { ...access, ca: config.ca },
    reportsChanges: config.changes,
    connect(transport) {
      const auth = authenticate(transport, config.auth, access.secrets);
      const headers = { accept: 'application/scim+json, application/json' };
      return new ApiClient(transport, { baseUrl: config.url, headers, auth });
    },
    read,
    requestOne,
    async discover(client, signal) {
      const { resources } = scimAnswer(await client.page(signal).get(path, { query: { count: discovered } }));
      return [...jsonFields(resources), { name: groupsName, examples: [] }];
    },
  });
}

/** Requests a stable order if the service supports sorting. */
function sorted(query: Record<string, string>, { sorts }: ScimService): Record<string, string> {
  return sorts ? { ...query, sortBy: 'id' } : query;
}

async function allGroups(client: ApiClient, service: ScimService, signal: AbortSignal): Promise<GroupsOf> {
  const query = sorted({ attributes: 'id,displayName,members' }, service);
  const list: ScimList = { client, path: '/Groups', query, pageSize: groupPageSize, signal };
  return readGroups(service.pagesByCursor ? listByCursor(list) : listByIndex(list));
}

/** Maximum number of memberships in memory, about 100 MB. */
const maxMemberships = 2_000_000;

/** Returns all direct and nested groups of a resource. */
type GroupsOf = (resourceId: string) => Values;

/** Reads all groups with their members. */
async function readGroups(pages: AsyncIterable<ListingPage>): Promise<GroupsOf> {
  const names = new Map<string, string>();
  const groupsOf = new Map<string, string[]>();
  let memberships = 0;
  for await (const { resources } of pages) {
    for (const group of resources) {
      const id = scalarText(valueAt(group, 'id'));
      if (id === undefined) throw new SourceError('a group has no id, so its members are unknown');
      names.set(id, scalarText(valueAt(group, 'displayName')) ?? id);
      const members = valueAt(group, 'members');
      for (const member of Array.isArray(members) ? members.filter(isObject) : []) {
        const value = scalarText(valueAt(member, 'value'));
        if (value === undefined) continue;
        memberships += 1;
        if (memberships > maxMemberships)
          throw new SourceError(`the groups have more than ${maxMemberships} members`, 'too_large');
        const known = groupsOf.get(value);
        if (known) known.push(id);
        else groupsOf.set(value, [id]);
      }
    }
  }
  return (resourceId) => {
    const found = new Set(groupsOf.get(resourceId));
    // Iterating a set includes values added meanwhile, and a cycle of groups ends.
    for (const group of found) for (const outer of groupsOf.get(group) ?? []) found.add(outer);
    return namesOf(
      [...found].flatMap((id) => {
        const name = names.get(id);
        return name === undefined ? [] : { id, name };
      }),
    );
  };
}

interface FoundResources {
  resources: unknown[];
  /** Whether the service itself reported that there are no others. */
  proven: boolean;
}

/** A top-level attribute. A filter on a path into lists could match another value. */
const attribute = /^[a-z][\w$-]*$/i;
/** Statuses of a rejected or unsupported filter. */
const refused = new Set([400, 403, 404, 501]);

/** Finds resources by id: directly by the id of the resource, or by a filter on another attribute. */
async function findResources(
  client: ApiClient,
  { resource, filter, external_id: name }: ScimConfig,
  externalId: string,
  signal: AbortSignal,
): Promise<FoundResources> {
  const path = `/${resource}`;
  const requests = client.page(signal);
  // The service may not know the normal form of an id.
  if (name === 'id' && filter === undefined && /^[ -~]*$/.test(externalId)) {
    const answer = await getOne(
      requests,
      `${path}/${encodeURIComponent(externalId)}`,
      { shownAs: `${path}/{id}` },
      async () => {
        scimAnswer(await requests.get(path, { query: { startIndex: 1, count: 1 } }));
      },
    );
    return { resources: answer ? [answer.body] : [], proven: answer === undefined };
  }
  if (!attribute.test(name)) return { resources: [], proven: false };
  const named = `${name} eq ${JSON.stringify(externalId)}`;
  try {
    const query = { filter: filter === undefined ? named : `(${filter}) and ${named}` };
    return { resources: scimAnswer(await requests.get(path, { query })).resources, proven: false };
  } catch (error) {
    if (error instanceof StatusError && refused.has(error.status)) return { resources: [], proven: false };
    throw error;
  }
}
