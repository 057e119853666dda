import { CheckpointExpired, SourceError } from '../connector.js';
import type { PageRequests } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { listIn } from '../http/paging.js';
import type { ListAnswer } from '../http/read-list.js';
import { valueAt } from '../json/json-value.js';

/** The most that the API gives in an answer. */
const limit = 200;

export interface StaffAnswer extends ListAnswer {
  /** In the log of changes, when the answer was made. */
  position: string;
}

/**
 * One answer of the list of everybody, or of those who have changed since a position. `next` is empty for the first. Only `null` in
 * place of a token is the end: an answer that says nothing of it is not to be trusted.
 */
export async function askStaff(requests: PageRequests, since: string | undefined, next: string): Promise<StaffAnswer> {
  const query = { limit, since, page: next || undefined };
  const answer = await requests.get(since === undefined ? '/people' : '/changes', { query }).catch((error: unknown) => {
    const isForgotten = error instanceof StatusError && error.status === 410;
    // Of a read of everything a page is too old, and no checkpoint: that fails.
    throw since !== undefined && isForgotten ? new CheckpointExpired(error.message, { cause: error }) : error;
  });
  const [token, position] = [valueAt(answer.body, 'next'), valueAt(answer.body, 'position')];
  if (token !== null && typeof token !== 'string') {
    throw new SourceError(`${answer.from} answered without saying whether there is more`);
  }
  if (typeof position !== 'string') throw new SourceError(`${answer.from} answered without a position`);
  return { items: listIn(answer, 'people'), next: token ?? undefined, position, from: answer.from };
}

/** The log of changes has of who is gone an id and this. */
export function isGone(person: unknown): boolean {
  return valueAt(person, 'deleted') === true;
}
