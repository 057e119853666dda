import { z } from 'zod';
import { SourceError } from '../connector.js';
import type { ApiAnswer, PageRequests } from '../http/api-client.js';
import type { HttpLimits } from '../http/http-limits.js';
import { LoopGuard, listIn } from '../http/paging.js';
import { backoffMs, retryAfterMs, type WaitBudget } from '../http/waiting.js';
import { valueAt } from '../json/json-value.js';

/** Graph takes no more in one batch. */
const batchSize = 20;
const passing = new Set([408, 429, 500, 502, 503, 504]);

const response = z.object({
  id: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown(),
});
type Response = z.infer<typeof response>;

/** Requests on behalf of one page, which share how long may be waited. */
export interface BatchRequests {
  requests: PageRequests;
  budget: WaitBudget;
  limits: HttpLimits;
  signal: AbortSignal;
}

/** GETs each of the URLs, relative to the service's root, twenty at a time. Undefined where there is nothing by that URL. */
export async function getEach(page: BatchRequests, urls: readonly string[]): Promise<(unknown | undefined)[]> {
  const bodies: (unknown | undefined)[] = [];
  for (let at = 0; at < urls.length; at += batchSize)
    bodies.push(...(await batch(page, urls.slice(at, at + batchSize))));
  return bodies;
}

/** GETs a list by each of the URLs, all of its answers. */
export async function listEach(page: BatchRequests, urls: readonly string[]): Promise<unknown[][]> {
  const lists: unknown[][] = [];
  for (const body of await getEach(page, urls)) lists.push(body === undefined ? [] : await wholeList(page, body));
  return lists;
}

async function wholeList({ requests }: BatchRequests, first: unknown): Promise<unknown[]> {
  const circle = new LoopGuard();
  let answer: Pick<ApiAnswer, 'body' | 'from'> = { body: first, from: 'GET of a batch' };
  const items: unknown[] = [];
  for (;;) {
    items.push(...listIn(answer as ApiAnswer, 'value'));
    const next = valueAt(answer.body, '@odata.nextLink');
    if (typeof next !== 'string') return items;
    circle.pass(next, answer.from);
    answer = await requests.follow(next);
  }
}

/** Each request of a batch is answered, refused and throttled on its own; those that were throttled are asked again. */
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
      const told = responses.get(request.id);
      if (!told) throw new SourceError(`${answer.from} did not answer each request`);
      const { status, body } = told;
      if (status === 200) bodies[Number(request.id)] = body;
      else if (passing.has(status)) {
        again.push(request);
        asked = Math.max(asked, waitOf(told));
      } else if (status !== 404) throw refused(answer, told);
    }
    if (again.length > 0) {
      const why = `${answer.from}: ${again.length} of its requests were put off`;
      if (tries >= limits.attempts) throw new SourceError(`${why} (tried ${tries} times)`);
      await budget.wait(asked || backoffMs(tries, limits.firstPauseMs, limits.longestPauseMs), signal, why);
    }
    open = again;
  }
  return bodies;
}

function responsesIn(answer: ApiAnswer): Response[] {
  const parsed = z.array(response).safeParse(listIn(answer, 'responses'));
  if (!parsed.success) throw new SourceError(`${answer.from} answered with what is no batch`);
  return parsed.data;
}

function waitOf({ headers = {} }: Response): number {
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');
  return named ? (retryAfterMs({ 'retry-after': String(named[1]) }) ?? 0) : 0;
}

function refused(answer: ApiAnswer, { status, body }: Response): SourceError {
  const code = valueAt(valueAt(body, 'error'), 'code');
  return new SourceError(
    `${answer.from}: a request was answered ${status}${typeof code === 'string' ? ` (${code})` : ''}`,
  );
}
