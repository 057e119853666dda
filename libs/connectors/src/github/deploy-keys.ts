import { SourceError } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { LoopGuard } from '../http/paging.js';
import type { WaitBudget } from '../http/waiting.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { Listing, Place } from '../listing/listing.js';
import { linkedPage } from './linked-pages.js';

/** Repositories per page, because each needs a request for its keys. */
const repositoriesAtOnce = 30;
const keysAtOnce = 100;

interface About {
  signal: AbortSignal;
  budget: WaitBudget;
}

/** Lists the deploy keys of all repositories of an organization. GitHub lists them per repository. */
export function deployKeys(rest: ApiClient, organizationPath: string): Listing {
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
