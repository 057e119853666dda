import type { GithubConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard, linkTo, listIn } from '../http/paging.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { Listing, Place } from '../listing/listing-connector.js';

/** Lists the machine identities of an organization. */
export function machines(rest: ApiClient, { organization, machines: wanted }: GithubConfig): Listing[] {
  const organizationPath = `/orgs/${organization}`;
  const listings = {
    apps: listing('apps', rest, { path: `${organizationPath}/installations`, member: 'installations' }, asApp),
    deploy_keys: deployKeys(rest, organizationPath),
    fine_grained_tokens: listing(
      'fine_grained_tokens',
      rest,
      { path: `${organizationPath}/personal-access-tokens` },
      asToken,
    ),
  };
  return wanted.map((name) => listings[name]);
}

function listing(
  name: string,
  client: ApiClient,
  list: LinkedList,
  asDocument: (item: JsonObject) => JsonObject,
): Listing {
  return {
    name,
    async read(request) {
      const { items, ...rest } = await linkedPage(client, list, request);
      return { ...rest, documents: items.map((item) => (isObject(item) ? asDocument(item) : {})) };
    },
  };
}

function asApp(installation: JsonObject): JsonObject {
  const permissions = permissionsOf(valueAt(installation, 'permissions'));
  return {
    ...installation,
    ...identified('app', installation),
    '@account': valueAt(installation, 'app_slug'),
    '@name': valueAt(installation, 'app_slug'),
    '@classification': 'oauth_app',
    '@status': isPresent(valueAt(installation, 'suspended_at')) ? 'disabled' : 'active',
    '@permissions': permissions,
    '@privileged': permissions.some((one) => /^(organization_)?administration:write$/.test(one)),
  };
}

function asToken(token: JsonObject): JsonObject {
  const granted = valueAt(token, 'permissions');
  const kinds = ['organization', 'repository', 'other'].map((kind) => valueAt(granted, kind));
  const permissions = kinds.flatMap(permissionsOf);
  return {
    ...token,
    ...identified('token', token),
    '@account': valueAt(token, 'token_name') ?? valueAt(token, 'token_id'),
    '@name': valueAt(token, 'token_name') ?? valueAt(token, 'token_id'),
    '@classification': 'api_key',
    '@owner': valueAt(valueAt(token, 'owner'), 'login'),
    '@status': valueAt(token, 'token_expired') === true ? 'disabled' : 'active',
    '@permissions': permissions,
    '@privileged': permissions.some((one) => /administration:write$/.test(one)),
    '@secret_created_at': valueAt(token, 'access_granted_at'),
    '@last_used_at': valueAt(token, 'token_last_used_at'),
  };
}

function permissionsOf(permissions: unknown): string[] {
  return isObject(permissions) ? Object.entries(permissions).map(([name, level]) => `${name}:${level}`) : [];
}

/** Prefixes the id with the type, because ids are unique within a type only. */
function identified(type: string, item: JsonObject): JsonObject {
  const id = scalarText(valueAt(item, 'id'));
  return { '@type': type, ...(id !== undefined && { '@id': `${type}:${id}` }) };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Repositories per page, because each needs a request for its keys. */
const repositoriesAtOnce = 30;
const keysAtOnce = 100;

interface About {
  signal: AbortSignal;
  budget: WaitBudget;
}

/** Lists the deploy keys of all repositories of an organization. GitHub lists them per repository. */
function deployKeys(rest: ApiClient, organizationPath: string): Listing {
  // Oldest first, so that repositories created during the read are appended.
  const list = { path: `${organizationPath}/repos`, query: { type: 'all', sort: 'created', direction: 'asc' } };
  return {
    name: 'deploy_keys',
    async read({ at, limit, signal, budget }) {
      const bounded = { ...(at && { at }), limit: Math.min(limit, repositoriesAtOnce), signal, budget };
      const { items, ...page } = await linkedPage(rest, list, bounded);
      const documents: JsonObject[] = [];
      for (const repository of items)
        documents.push(...(await keysOf(rest, repository, { signal, budget }, page.from)));
      return { ...page, documents };
    },
  };
}

async function keysOf(rest: ApiClient, repository: unknown, about: About, from: string): Promise<JsonObject[]> {
  const name = scalarText(valueAt(repository, 'full_name')) ?? '';
  // Validated, because it becomes part of a path.
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) throw new SourceError(`${from} answered with a repository without full_name`);
  const found: JsonObject[] = [];
  const loopGuard = new LoopGuard();
  for (let at: Place | undefined, more = true; more; ) {
    const request = { ...(at && { at }), limit: keysAtOnce, ...about };
    const page = await linkedPage(
      rest,
      { path: `/repos/${name}/keys`, shownAs: '/repos/{repository}/keys' },
      request,
    ).catch(async (error: unknown) => {
      if (error instanceof StatusError && error.status === 404 && (await isGone(rest, name, about))) return undefined;
      throw error;
    });
    if (!page) return [];
    found.push(...page.items.map((key) => asDocument(key, repository)));
    at = page.next;
    more = at !== undefined;
    if (at) loopGuard.pass(String(at.link), page.from);
  }
  return found;
}

/** Returns whether a repository is gone. GitHub also returns 404 for its keys when the permission is missing. */
async function isGone(rest: ApiClient, name: string, { signal, budget }: About): Promise<boolean> {
  try {
    await rest.page(signal, budget).get(`/repos/${name}`, { shownAs: '/repos/{repository}' });
    return false;
  } catch (error) {
    if (error instanceof StatusError && error.status === 404) return true;
    throw error;
  }
}

function asDocument(key: unknown, repository: unknown): JsonObject {
  if (!isObject(key)) return {};
  const id = scalarText(valueAt(key, 'id'));
  const about = ['id', 'name', 'full_name', 'visibility', 'archived'].map((name) => [name, valueAt(repository, name)]);
  return {
    ...key,
    repository: Object.fromEntries(about),
    '@type': 'deploy_key',
    ...(id !== undefined && { '@id': `deploy_key:${id}` }),
    '@account': valueAt(key, 'title'),
    '@name': valueAt(key, 'title'),
    '@classification': 'ci_cd',
    '@owner': valueAt(key, 'added_by'),
    '@status': valueAt(key, 'enabled') === false ? 'disabled' : 'active',
    '@permissions': [valueAt(key, 'read_only') === true ? 'contents:read' : 'contents:write'],
    '@secret_created_at': valueAt(key, 'created_at'),
    '@last_used_at': valueAt(key, 'last_used'),
  };
}

interface LinkedList {
  path: string;
  /** The path shown in messages, if the real path contains text of the source. */
  shownAs?: string;
  query?: Readonly<Record<string, string>>;
  /** The member that contains the list, next to `total_count`; absent if the response is the list. */
  member?: string;
}

interface LinkedPage {
  items: unknown[];
  next?: Place;
  fraction: number;
  from: string;
}

const maxPerPage = 100;

/** Requests a page of a list with `Link` headers. Throws if the list ends before its announced last page. */
async function linkedPage(
  client: ApiClient,
  { path, shownAs = path, query, member }: LinkedList,
  about: { at?: Place; limit: number; signal: AbortSignal; budget: WaitBudget },
): Promise<LinkedPage> {
  const { at, limit, signal, budget } = about;
  const requests = client.page(signal, budget);
  const answer =
    typeof at?.link === 'string'
      ? await requests.follow(at.link, { shownAs })
      : await requests.get(path, { query: { ...query, per_page: Math.min(limit, maxPerPage) }, shownAs });
  const items = listIn(answer, member);
  const seen = (at?.seen ?? 0) + items.length;
  const page = pageNumber(typeof at?.link === 'string' ? at.link : undefined) ?? 1;
  const last = pageNumber(linkTo(answer.headers, 'last')) ?? Number(at?.last ?? page);
  const total = member === undefined ? undefined : totalIn(answer);
  const least = Math.min(Number(at?.least ?? total ?? 0), total ?? 0);
  const link = linkTo(answer.headers, 'next');
  if (link === undefined && page < last) {
    throw new SourceError(`${answer.from} ended at page ${page} of ${last}, so the list is incomplete`, 'incomplete');
  }
  if (link === undefined && seen < least) {
    throw new SourceError(
      `${answer.from} reported ${least} but returned ${seen}, so the list is incomplete`,
      'incomplete',
    );
  }
  return {
    items,
    ...(link !== undefined && { next: { link, last, least, seen } }),
    fraction: page / Math.max(page, last),
    from: answer.from,
  };
}

function totalIn({ body, from }: ApiAnswer): number {
  const total = valueAt(body, 'total_count');
  if (typeof total !== 'number') throw new SourceError(`${from} answered without total_count`, 'incomplete');
  return total;
}

function pageNumber(link: string | undefined): number | undefined {
  const page = /[?&]page=(\d{1,9})(?:&|$)/.exec(link ?? '')?.[1];
  return page === undefined ? undefined : Number(page);
}
