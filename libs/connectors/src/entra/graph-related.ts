import { z } from 'zod';
import { SourceError } from '../connector.js';
import type { ApiAnswer, PageRequests } from '../http/api-client.js';
import { documentedNames, explanation } from '../http/explanation.js';
import { codeOf } from '../http/failures.js';
import type { HttpLimits } from '../http/http-transport.js';
import { LoopGuard, listIn } from '../http/paging.js';
import { backoffMs, retryAfterMs, type WaitBudget } from '../http/waiting.js';
import { groupsIn } from '../json/groups-in.js';
import { scalarText, valueAt } from '../json/json-value.js';

/** Values that are not part of an object, by mapping name. */
export type Related = ReadonlyMap<string, readonly string[]>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idOf = (object: unknown) => scalarText(valueAt(object, 'id')) ?? '';
const url = (id: string) => encodeURIComponent(id);

interface Relation {
  /** Names that are read together. */
  names: string[];
  of: (page: BatchRequests, objects: readonly unknown[], tenantId: string) => Promise<Related[]>;
}

const relations: Relation[] = [
  listOf(
    '@groups',
    'displayName',
    (id) => `/users/${id}/transitiveMemberOf/microsoft.graph.group?$select=id,displayName&$top=999`,
  ),
  // Only users count as owners. An owner may also be a service principal.
  listOf(
    '@owners',
    'userPrincipalName',
    (id) => `/servicePrincipals/${id}/owners?$select=id,displayName,userPrincipalName`,
  ),
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

/** The values of one property in a list that each object has. */
function listOf(name: string, property: string, pathOf: (id: string) => string): Relation {
  return {
    names: [name],
    async of(page, objects) {
      const lists = await listEach(
        page,
        objects.map((object) => pathOf(url(idOf(object)))),
      );
      return lists.map((list) => new Map([[name, groupsIn(list, (item) => valueAt(item, property))]]));
    },
  };
}

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

/** The maximum batch size of Graph. */
const batchSize = 20;
const passing = new Set([408, 429, 500, 502, 503, 504]);

const response = z.object({
  id: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown(),
});
type Response = z.infer<typeof response>;

/** Requests for one page, which share its waiting time. */
interface BatchRequests {
  requests: PageRequests;
  budget: WaitBudget;
  limits: HttpLimits;
  signal: AbortSignal;
}

/** GETs each URL, relative to the service root, in batches of twenty. Undefined for a 404. */
async function getEach(page: BatchRequests, urls: readonly string[]): Promise<(unknown | undefined)[]> {
  const bodies: (unknown | undefined)[] = [];
  for (let at = 0; at < urls.length; at += batchSize)
    bodies.push(...(await batch(page, urls.slice(at, at + batchSize))));
  return bodies;
}

/** GETs the complete list of each URL. */
async function listEach(page: BatchRequests, urls: readonly string[]): Promise<unknown[][]> {
  const lists: unknown[][] = [];
  for (const body of await getEach(page, urls)) lists.push(body === undefined ? [] : await completeList(page, body));
  return lists;
}

async function completeList({ requests }: BatchRequests, first: unknown): Promise<unknown[]> {
  const loopGuard = new LoopGuard();
  let answer: Pick<ApiAnswer, 'body' | 'from'> = { body: first, from: 'GET of a batch' };
  const items: unknown[] = [];
  for (;;) {
    items.push(...listIn(answer, 'value'));
    const next = valueAt(answer.body, '@odata.nextLink');
    if (typeof next !== 'string') return items;
    loopGuard.pass(next, answer.from);
    answer = await requests.follow(next, { shownAs: '/{id}/…' });
  }
}

/** Sends a batch. Each request has its own status; throttled requests are sent again. */
async function batch(page: BatchRequests, urls: readonly string[]): Promise<(unknown | undefined)[]> {
  const { requests, budget, limits, signal } = page;
  const bodies = new Array<unknown | undefined>(urls.length);
  let open = urls.map((url, index) => ({ id: String(index), method: 'GET', url }));
  for (let tries = 1; open.length > 0; tries += 1) {
    const answer = await requests.post('/$batch', { json: { requests: open } });
    const responses = new Map(responsesIn(answer).map((one) => [one.id, one]));
    const again: typeof open = [];
    let asked = 0;
    for (const request of open) {
      const response = responses.get(request.id);
      if (!response) throw new SourceError(`${answer.from} did not return a response for each request`);
      const { status, body } = response;
      if (status === 200) bodies[Number(request.id)] = body;
      else if (passing.has(status)) {
        again.push(request);
        asked = Math.max(asked, waitOf(response));
      } else if (status !== 404) throw refused(answer, response);
    }
    if (again.length > 0) {
      const why = `${answer.from}: ${again.length} of its requests were throttled`;
      if (tries >= limits.attempts) throw new SourceError(`${why} (tried ${tries} times)`, 'rate_limited');
      await budget.wait(asked || backoffMs(tries, limits.firstPauseMs, limits.longestPauseMs), signal, why);
    }
    open = again;
  }
  return bodies;
}

function responsesIn(answer: ApiAnswer): Response[] {
  const parsed = z.array(response).safeParse(listIn(answer, 'responses'));
  if (!parsed.success) throw new SourceError(`${answer.from} did not return a batch response`);
  return parsed.data;
}

function waitOf({ headers = {} }: Response): number {
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');
  return named ? (retryAfterMs({ 'retry-after': String(named[1]) }) ?? 0) : 0;
}

function refused(answer: ApiAnswer, { status, body }: Response): SourceError {
  const { code, text } = explanation(JSON.stringify(body ?? null));
  const names = documentedNames({ code });
  const said = [code, text].filter((part) => part !== undefined).join(': ');
  return new SourceError(`${answer.from}: a request was answered ${status}${names && ` (${names})`}`, {
    code: codeOf(status),
    ...(said !== '' && { said: answer.said(said) }),
  });
}
