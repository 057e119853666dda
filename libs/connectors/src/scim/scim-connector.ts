import { type RecordKind, type ScimConfig, scimFields } from '@idsync/contracts';
import { z } from 'zod';
import { CheckpointExpired, type Connector, type FoundRecord, type Page, type ReadOptions } from '../connector.js';
import { findByFullRead, foundIn } from '../find-by-full-read.js';
import { ApiClient } from '../http/api-client.js';
import { type ApiAccess, onTransport, parseCursor, withTransport } from '../http/api-source.js';
import { authenticate } from '../http/authenticate.js';
import type { HttpTransport } from '../http/http-transport.js';
import { jsonFields } from '../json/json-fields.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { type Mapping, mapRecord, type ValuesOf } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { findResources } from './find-resources.js';
import { listByCursor, listByIndex } from './list-resources.js';
import {
  changedSince,
  checkpointNow,
  isFilterRefused,
  requireReportableChanges,
  scimCheckpoint,
} from './scim-changes.js';
import { type GroupsOf, readGroups } from './scim-groups.js';
import { listingState, type ScimList, scimAnswer } from './scim-listing.js';
import { askService, type ScimService } from './scim-service.js';
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
  const trusted = { ...access, ca: config.ca };

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

  async function* readAll(options: ReadOptions): AsyncGenerator<Page> {
    try {
      yield* withTransport(trusted, (transport) => readWith(clientOn(transport), options));
    } catch (error) {
      if (options.since && isFilterRefused(error))
        throw new CheckpointExpired('the service does not support filters by modification time');
      throw error;
    }
  }

  /** Returns undefined if the service finds none, because it may not support the filter. */
  async function request(externalId: string, signal: AbortSignal, client: ApiClient): Promise<FoundRecord | undefined> {
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

  function clientOn(transport: HttpTransport): ApiClient {
    const auth = authenticate(transport, config.auth, access.secrets);
    const headers = { accept: 'application/scim+json, application/json' };
    return new ApiClient(transport, { baseUrl: config.url, headers, ...(auth && { auth }) });
  }

  return {
    reportsChanges: config.changes,
    read: readAll,
    readOne: async (externalId, signal) =>
      (await onTransport(trusted, (transport) => request(externalId, signal, clientOn(transport)))) ??
      findByFullRead(readAll, externalId, signal),
    discover: (signal) =>
      onTransport(trusted, async (transport) => {
        const requests = clientOn(transport).page(signal);
        const { resources } = scimAnswer(await requests.get(path, { query: { count: discovered } }));
        return [...jsonFields(resources), { name: groupsName, examples: [] }];
      }),
  };
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
