import { CheckpointExpired, SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { listIn } from '../http/paging.js';
import type { ListAnswer } from '../http/read-list.js';
import { valueAt } from '../json/json-value.js';

export interface DeltaAnswer extends ListAnswer {
  /** Of the last answer of a round: where the next one begins. */
  deltaLink?: string | undefined;
}

/** A delta query of Microsoft Graph: the objects of a collection, or what has changed since a link of an earlier round. */
export interface DeltaQuery {
  client: ApiClient;
  /** `/users` */
  collection: string;
  /** Properties; changes of others are not told. */
  select: readonly string[];
  signal: AbortSignal;
}

/** One answer of a round. Only one with a deltaLink is the end of it; without it and a nextLink it is not to be trusted. */
export async function askDelta(query: DeltaQuery, link: string): Promise<DeltaAnswer> {
  const answer = await (link === '' ? begin(query) : query.client.page(query.signal).follow(link)).catch(expired);
  const items = listIn(answer, 'value');
  const next = linkIn(query, answer, '@odata.nextLink');
  const deltaLink = linkIn(query, answer, '@odata.deltaLink');
  if ((next === undefined) === (deltaLink === undefined)) {
    throw new SourceError(`${answer.from} answered without the link that tells whether more is to come`);
  }
  return { items, next, deltaLink, from: answer.from };
}

/** Where a round of changes from now on begins. */
export async function deltaLinkOfNow(query: DeltaQuery): Promise<string> {
  const answer = await begin(query, { $deltatoken: 'latest' });
  const link = linkIn(query, answer, '@odata.deltaLink');
  if (link === undefined) throw new SourceError(`${answer.from} answered without a deltaLink`);
  return link;
}

function begin({ client, collection, select, signal }: DeltaQuery, more = {}): Promise<ApiAnswer> {
  return client.page(signal).get(`${collection}/delta`, { query: { $select: select.join(','), ...more } });
}

/** A link to another origin is refused here already, or it would stand in a checkpoint. */
function linkIn({ client }: DeltaQuery, { body, from }: ApiAnswer, name: string): string | undefined {
  const link = valueAt(body, name);
  if (typeof link !== 'string' || link === '') return undefined;
  if (!client.leadsTo(link))
    throw new SourceError(`${from} answered with a link to another origin, which is not followed`);
  return link;
}

/** The codes of states that Graph does not know any more; it tells of them with 410, or with another status of the client. */
function expired(error: unknown): never {
  if (error instanceof StatusError && (error.status === 410 || /^(sync|resync)|expired/i.test(error.code ?? ''))) {
    throw new CheckpointExpired(error.message, { cause: error });
  }
  throw error;
}
