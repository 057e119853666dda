import { z } from 'zod';
import { SourceError } from '../connector.js';
import type { ApiAnswer, PageRequests } from '../http/api-client.js';
import { documentedNames, explanation } from '../http/explanation.js';
import { codeOf } from '../http/failures.js';
import type { HttpLimits } from '../http/http-limits.js';
import { LoopGuard, listIn } from '../http/paging.js';
import { backoffMs, retryAfterMs, type WaitBudget } from '../http/waiting.js';
import { valueAt } from '../json/json-value.js';

/** The maximum batch size of Graph. */
const batchSize = 20;
const passing = new Set([408, 429, 500, 502, 503, 504]);

const response = z.object({
  id: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown(),
});
type Response = z.infer<typeof response>;

/** Requests for one page, which share its waiting time. */
export interface BatchRequests {
  requests: PageRequests;
  budget: WaitBudget;
  limits: HttpLimits;
  signal: AbortSignal;
}

/** GETs each URL, relative to the service root, in batches of twenty. Undefined for a 404. */
export async function getEach(page: BatchRequests, urls: readonly string[]): Promise<(unknown | undefined)[]> {
  const bodies: (unknown | undefined)[] = [];
  for (let at = 0; at < urls.length; at += batchSize)
    bodies.push(...(await batch(page, urls.slice(at, at + batchSize))));
  return bodies;
}

/** GETs the complete list of each URL. */
export async function listEach(page: BatchRequests, urls: readonly string[]): Promise<unknown[][]> {
  const lists: unknown[][] = [];
  for (const body of await getEach(page, urls)) lists.push(body === undefined ? [] : await completeList(page, body));
  return lists;
}

async function completeList({ requests }: BatchRequests, first: unknown): Promise<unknown[]> {
  const loopGuard = new LoopGuard();
  let answer: Pick<ApiAnswer, 'body' | 'from'> = { body: first, from: 'GET of a batch' };
  const items: unknown[] = [];
  for (;;) {
    items.push(...listIn(answer, 'value'));
    const next = valueAt(answer.body, '@odata.nextLink');
    if (typeof next !== 'string') return items;
    loopGuard.pass(next, answer.from);
    answer = await requests.follow(next, { shownAs: '/{id}/…' });
  }
}

/** Sends a batch. Each request has its own status; throttled requests are sent again. */
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
      const response = responses.get(request.id);
      if (!response) throw new SourceError(`${answer.from} did not return a response for each request`);
      const { status, body } = response;
      if (status === 200) bodies[Number(request.id)] = body;
      else if (passing.has(status)) {
        again.push(request);
        asked = Math.max(asked, waitOf(response));
      } else if (status !== 404) throw refused(answer, response);
    }
    if (again.length > 0) {
      const why = `${answer.from}: ${again.length} of its requests were throttled`;
      if (tries >= limits.attempts) throw new SourceError(`${why} (tried ${tries} times)`, 'rate_limited');
      await budget.wait(asked || backoffMs(tries, limits.firstPauseMs, limits.longestPauseMs), signal, why);
    }
    open = again;
  }
  return bodies;
}

function responsesIn(answer: ApiAnswer): Response[] {
  const parsed = z.array(response).safeParse(listIn(answer, 'responses'));
  if (!parsed.success) throw new SourceError(`${answer.from} did not return a batch response`);
  return parsed.data;
}

function waitOf({ headers = {} }: Response): number {
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');
  return named ? (retryAfterMs({ 'retry-after': String(named[1]) }) ?? 0) : 0;
}

function refused(answer: ApiAnswer, { status, body }: Response): SourceError {
  const { code, text } = explanation(JSON.stringify(body ?? null));
  const names = documentedNames({ ...(code && { code }) });
  const said = [code, text].filter((part) => part !== undefined).join(': ');
  return new SourceError(`${answer.from}: a request was answered ${status}${names && ` (${names})`}`, {
    code: codeOf(status),
    ...(said !== '' && { said: answer.said(said) }),
  });
}
