import { SourceError } from '../connector.js';
import { scalarText, valueAt } from '../json/json-value.js';
import type { ApiAnswer, PageRequests } from './api-client.js';
import { StatusError } from './failures.js';

/**
 * GETs what there may be one of; undefined if the service says that there is none. It is believed where its 404 bears `code`, if it
 * has one for that, and `prove` finds that the address leads to where such things are: who has the wrong address gets a 404 too.
 */
export async function getOne(
  requests: PageRequests,
  path: string,
  { code, query }: { code?: string; query?: Readonly<Record<string, string>> },
  prove: () => Promise<void>,
): Promise<ApiAnswer | undefined> {
  try {
    const answer = await requests.get(path, { ...(query && { query }) });
    // What is not even such a thing says nothing of who is there.
    if (scalarText(valueAt(answer.body, 'id')) !== undefined) return answer;
    throw new SourceError(`${answer.from} answered with something that has no id`);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status !== 404) throw error;
    if (code !== undefined && error.code !== code) throw error;
    await prove();
    return undefined;
  }
}
