import { CheckpointExpired, SourceError } from '../connector.js';
import type { PageRequests } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { listIn } from '../http/paging.js';
import type { ListAnswer } from '../http/read-list.js';
import { valueAt } from '../json/json-value.js';

/** Maximum page size of the API. */
const limit = 200;

export interface StaffAnswer extends ListAnswer {
  /** Position in the change log at the time of the response. */
  position: string;
}

/**
 * Requests one page of all people, or of those changed since a position. `next` is empty for the first page. Only a
 * token of `null` marks the end; a response without a token is an error.
 */
export async function askStaff(requests: PageRequests, since: string | undefined, next: string): Promise<StaffAnswer> {
  const query = { limit, since, page: next || undefined };
  const answer = await requests.get(since === undefined ? '/people' : '/changes', { query }).catch((error: unknown) => {
    const isForgotten = error instanceof StatusError && error.status === 410;
    // In a full read the page token has expired and not a checkpoint, so it is an error.
    throw since !== undefined && isForgotten ? new CheckpointExpired(error.message, { cause: error }) : error;
  });
  const [token, position] = [valueAt(answer.body, 'next'), valueAt(answer.body, 'position')];
  if (token !== null && typeof token !== 'string') {
    throw new SourceError(`${answer.from} answered without a next token`, 'incomplete');
  }
  if (typeof position !== 'string') throw new SourceError(`${answer.from} answered without a position`);
  return { items: listIn(answer, 'people'), next: token ?? undefined, position, from: answer.from };
}

/** Returns whether an entry of the change log is a deletion. */
export function isGone(person: unknown): boolean {
  return valueAt(person, 'deleted') === true;
}
