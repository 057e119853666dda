import { type OktaConfig, oktaFields, type RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { mapConcurrently } from '../answer-of.js';
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
import { type ApiAnswer, ApiClient, type PageRequests } from '../http/api-client.js';
import {
  type ApiAccess,
  apiConnector,
  getOne,
  mapItems,
  parseCursor,
  secretOf,
  withRelated,
} from '../http/api-source.js';
import { oauthToken, signedJwt, signingKey } from '../http/authenticate.js';
import { type Authentication, headerAuthentication } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { type ListAnswer, linkTo, listIn, listPlace, readList } from '../http/paging.js';
import { groupsIn } from '../json/groups-in.js';
import { jsonReader } from '../json/json-path.js';
import { scalarText, valueAt } from '../json/json-value.js';
import type { Mapping, Values } from '../map-record.js';
import { sourceNames } from '../transform.js';

const groups = '@groups';
/** Maximum page size of Okta. */
const limit = 200;
const discovered = 20;
const notFound = 'E0000007';

/** The start of the read by the clock of the service. */
const oktaCheckpoint = z.object({ started: z.iso.datetime() });
const oktaCursor = listPlace.extend(oktaCheckpoint.shape);

/** Creates a connector for users of an Okta organization, or for its service apps as machine identities. */
export function oktaConnector(records: RecordKind, config: OktaConfig, access: ApiAccess): Connector {
  const fields = config.fields ?? oktaFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const needsGroups = names.includes(groups);
  if (needsGroups && records === 'machine_identity')
    throw new SourceError('"@groups" is not supported for service apps', 'misconfigured');
  const valuesOf = jsonReader(names.filter((name) => name !== groups));
  // Okta reports no changes of groups and apps.
  const reportsChanges = records !== 'machine_identity' && !needsGroups;

  async function* read(client: ApiClient, { since, cursor, pageSize, signal }: ReadOptions): AsyncGenerator<Page> {
    const left = cursor && parseCursor(oktaCursor, cursor);
    if (since && !reportsChanges) throw new CheckpointExpired('this mapping does not support incremental reads');
    const { path, filter, isWanted } = listOf(records, config, since && parseCursor(oktaCheckpoint, since).started);
    let started = left?.started;
    const ask = async (next: string): Promise<ListAnswer> => {
      const page = client.page(signal);
      const answer = await (next === ''
        ? page.get(path, { query: { filter, limit } })
        : page.follow(next, { shownAs: path }));
      started ??= clockOf(answer.headers.date).toISOString();
      return oktaAnswer(answer, limit);
    };

    for await (const { items, place, last } of readList(ask, { pageSize, signal }, left)) {
      const there = items.filter(isWanted);
      const page: Page = {
        ...(await mapped(there, place.seen - items.length + 1, client, signal)),
        cursor: { ...place, started: started ?? '' },
        last,
      };
      if (since) page.removed = items.filter((item) => !isWanted(item)).flatMap((item) => idOf(item));
      if (last && reportsChanges) page.checkpoint = { started: started ?? '' };
      yield page;
    }
  }

  async function requestOne(client: ApiClient, externalId: string, signal: AbortSignal): Promise<FoundRecord> {
    const { path, isWanted } = listOf(records, config);
    const requests = client.page(signal);
    const answer = await getOne(
      requests,
      `${path}/${encodeURIComponent(externalId)}`,
      { reason: notFound, shownAs: `${path}/{id}` },
      async () => oktaAnswer(await requests.get(path, { query: { limit: 1 } }), 2),
    );
    // The endpoint also accepts user names, which are not ids.
    const there = answer === undefined ? [] : [answer.body].filter((item) => isWanted(item));
    return foundIn(await mapped(there, 0, client, signal), externalId);
  }

  async function mapped(there: readonly unknown[], line: number, client: ApiClient, signal: AbortSignal) {
    const lists = needsGroups ? await groupsOfEach(client.page(signal), there) : [];
    const related = lists.map((names) => new Map([[groups, names]]));
    return mapItems(there, line, mapping, withRelated(valuesOf, there, related));
  }

  function idOf(item: unknown): string[] {
    return valuesOf(item)(config.external_id).slice(0, 1);
  }

  return apiConnector({
    access,
    reportsChanges,
    connect: (transport) => oktaClient(transport, records, config, access),
    read,
    requestOne: config.external_id === 'id' && requestOne,
    async discover(client, signal) {
      const { path, filter } = listOf(records, config);
      const answer = await client.page(signal).get(path, { query: { filter, limit: discovered } });
      const own = jsonFields(oktaAnswer(answer, limit).items);
      return [...own, ...(records === 'machine_identity' ? [] : [{ name: groups, examples: [] }])];
    },
  });
}

function clockOf(date: string | undefined): Date {
  const parsed = new Date(date ?? '');
  return Number.isNaN(parsed.getTime()) ? new Date() : parsed;
}

/** Calls of a rate limit reserved for other clients. */
const reserve = 5;
const bearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Creates a client of an Okta organization that follows its rate limit headers. */
function oktaClient(transport: HttpTransport, records: RecordKind, config: OktaConfig, access: ApiAccess): ApiClient {
  const { origin } = new URL(config.url);
  return new ApiClient(transport, {
    baseUrl: `${origin}/api/v1`,
    auth: config.client_id === undefined ? ssws(access) : serviceApp(transport, origin, config.client_id),
    rate: { remaining: 'x-rate-limit-remaining', reset: 'x-rate-limit-reset', reserve },
  });

  function serviceApp(transport: HttpTransport, origin: string, clientId: string): Authentication {
    const key = signingKey(secretOf(access, 'private_key'), 'private_key');
    const tokenUrl = `${origin}/oauth2/v1/token`;
    const scope = records === 'machine_identity' ? 'okta.apps.read' : 'okta.users.read okta.groups.read';
    const form = () => ({
      grant_type: 'client_credentials',
      scope,
      client_assertion_type: bearerAssertion,
      client_assertion: signedJwt(key, { iss: clientId, sub: clientId, aud: tokenUrl }, config.key_id),
    });
    return oauthToken(transport, { tokenUrl, form });
  }
}

function ssws(access: ApiAccess): Authentication {
  const token = secretOf(access, 'token');
  return headerAuthentication('authorization', `SSWS ${token}`, [token]);
}

/**
 * Parses a list response. A response without a next link is the end, unless it is full and has no links at all, because
 * they may have been removed by a proxy.
 */
function oktaAnswer(answer: ApiAnswer, limit: number): ListAnswer {
  const items = listIn(answer);
  const next = linkTo(answer.headers, 'next');
  if (next === undefined && items.length >= limit && !/rel="?self\b/i.test(String(answer.headers.link ?? ''))) {
    throw new SourceError(`${answer.from} answered with a full page but without links`, 'incomplete');
  }
  return { items, next, from: answer.from };
}

/** Concurrent requests. Okta allows an organization some dozens, most of which are left to other clients. */
const atOnce = 5;
const shownAs = '/users/{id}/groups';

/** Returns the groups of each user. */
async function groupsOfEach(requests: PageRequests, users: readonly unknown[]): Promise<Values[]> {
  return mapConcurrently(users, atOnce, (user) => groupsOf(requests, user));
}

async function groupsOf(requests: PageRequests, user: unknown): Promise<Values> {
  const id = scalarText(valueAt(user, 'id'));
  if (id === undefined) return [];
  const path = `/users/${encodeURIComponent(id)}/groups`;
  const ask = async (next: string) =>
    oktaAnswer(
      await (next === '' ? requests.get(path, { query: { limit }, shownAs }) : requests.follow(next, { shownAs })),
      limit,
    );
  const found: unknown[] = [];
  for await (const { items } of readList(ask, { pageSize: limit })) found.push(...items);
  return groupsIn(found, (group) => valueAt(valueAt(group, 'profile'), 'name'));
}

/** https://developer.okta.com/docs/reference/api/users/ : all user statuses. */
const statuses = [
  'STAGED',
  'PROVISIONED',
  'ACTIVE',
  'RECOVERY',
  'PASSWORD_EXPIRED',
  'LOCKED_OUT',
  'SUSPENDED',
  'DEPROVISIONED',
];
const deprovisioned = 'DEPROVISIONED';
/** Allows for clock differences within the service. Reading a user twice has no effect. */
const overlapMs = 5 * 60_000;

/** The requested list and a filter for its items. */
interface OktaList {
  path: string;
  filter?: string;
  isWanted(resource: unknown): boolean;
}

/**
 * Returns the list of all users or of those changed since a time. Okta omits deactivated users without a filter. One
 * list of all statuses does not miss users whose status changes during the read.
 */
function listOf(kind: RecordKind, config: OktaConfig, since?: string): OktaList {
  if (kind === 'machine_identity') return { path: '/apps', isWanted: isServiceApp };
  const wanted = (status: unknown) => config.deprovisioned || status !== deprovisioned;
  const any = statuses
    .filter((status) => since !== undefined || wanted(status))
    .map((status) => `status eq "${status}"`);
  const after = since === undefined ? undefined : new Date(Date.parse(since) - overlapMs).toISOString();
  return {
    path: '/users',
    filter: after === undefined ? any.join(' or ') : `lastUpdated gt "${after}" and (${any.join(' or ')})`,
    isWanted: (user) => wanted(valueAt(user, 'status')),
  };
}

/** Returns whether an app authenticates as itself and not on behalf of users. */
function isServiceApp(app: unknown): boolean {
  const client = valueAt(valueAt(app, 'settings'), 'oauthClient');
  const grants = valueAt(client, 'grant_types');
  return (
    valueAt(client, 'application_type') === 'service' ||
    (Array.isArray(grants) && grants.includes('client_credentials'))
  );
}
