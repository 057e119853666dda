import { CheckpointExpired, SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import type { ListAnswer } from '../http/paging.js';
import { listIn } from '../http/paging.js';
import { valueAt } from '../json/json-value.js';

export interface DeltaAnswer extends ListAnswer {
  /** In the last response of a round: the start of the next round. */
  deltaLink?: string | undefined;
}

/** A delta query of Microsoft Graph: all objects of a collection, or the changes since a delta link. */
export interface DeltaQuery {
  client: ApiClient;
  /** `/users` */
  collection: string;
  /** Selected properties; changes of others are not reported. */
  select: readonly string[];
  signal: AbortSignal;
}

/** Requests one page of a round. Only a deltaLink marks the end; a response without any link is an error. */
export async function askDelta(query: DeltaQuery, link: string): Promise<DeltaAnswer> {
  const answer = await (link === ''
    ? begin(query)
    : query.client.page(query.signal).follow(link, { shownAs: `${query.collection}/delta` })
  ).catch(expired);
  const items = listIn(answer, 'value');
  const next = linkIn(query, answer, '@odata.nextLink');
  const deltaLink = linkIn(query, answer, '@odata.deltaLink');
  if ((next === undefined) === (deltaLink === undefined)) {
    throw new SourceError(`${answer.from} answered without a nextLink or deltaLink`, 'incomplete');
  }
  return { items, next, deltaLink, from: answer.from };
}

/** Returns the delta link for changes from now on. */
export async function deltaLinkOfNow(query: DeltaQuery): Promise<string> {
  const answer = await begin(query, { $deltatoken: 'latest' });
  const link = linkIn(query, answer, '@odata.deltaLink');
  if (link === undefined) throw new SourceError(`${answer.from} answered without a deltaLink`, 'incomplete');
  return link;
}

function begin({ client, collection, select, signal }: DeltaQuery, more = {}): Promise<ApiAnswer> {
  return client.page(signal).get(`${collection}/delta`, { query: { $select: select.join(','), ...more } });
}

/** Rejects a link to another origin before it is stored in a checkpoint. */
function linkIn({ client }: DeltaQuery, { body, from }: ApiAnswer, name: string): string | undefined {
  const link = valueAt(body, name);
  if (typeof link !== 'string' || link === '') return undefined;
  if (!client.leadsTo(link))
    throw new SourceError(`${from} answered with a link to another origin, which is not followed`);
  return link;
}

/** Detects an expired delta link, which Graph reports by 410 or by an error code with another 4xx status. */
function expired(error: unknown): never {
  if (error instanceof StatusError && (error.status === 410 || /^(sync|resync)|expired/i.test(error.reason ?? ''))) {
    throw new CheckpointExpired(error.message, { cause: error });
  }
  throw error;
}
