import { SourceError } from '../connector.js';
import { scalarText, valueAt } from '../json/json-value.js';
import type { ApiAnswer, PageRequests } from './api-client.js';
import { StatusError } from './failures.js';

/**
 * GETs one object; undefined if the service reports that it does not exist. A 404 counts only if it has the given
 * `reason` and `prove` finds the right kind of service at the address, because a wrong address also answers 404.
 */
export async function getOne(
  requests: PageRequests,
  path: string,
  { reason, query, shownAs }: { reason?: string; query?: Readonly<Record<string, string>>; shownAs: string },
  prove: () => Promise<void>,
): Promise<ApiAnswer | undefined> {
  try {
    const answer = await requests.get(path, { ...(query && { query }), shownAs });
    // A response of another kind does not prove that the object exists.
    if (scalarText(valueAt(answer.body, 'id')) !== undefined) return answer;
    throw new SourceError(`${answer.from} answered with an object without an id`);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status !== 404) throw error;
    if (reason !== undefined && error.reason !== reason) throw error;
    await prove();
    return undefined;
  }
}
