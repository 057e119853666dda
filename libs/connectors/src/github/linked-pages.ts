import { SourceError } from '../connector.js';
import type { ApiAnswer, ApiClient } from '../http/api-client.js';
import { linkTo, listIn, nextLink } from '../http/paging.js';
import type { WaitBudget } from '../http/waiting.js';
import { valueAt } from '../json/json-value.js';
import type { Place } from '../listing/listing.js';

export interface LinkedList {
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
export async function linkedPage(
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
  const link = nextLink(answer.headers);
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
