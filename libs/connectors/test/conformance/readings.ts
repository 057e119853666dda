import type { SourceRecord } from '@idsync/contracts';
import { expect } from '@jest/globals';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../../src/connector.js';
import type { HttpLimits } from '../../src/http/http-limits.js';
import { isLacking, type Person, type SourceUnderTest } from './source-under-test.js';

/** For connectors of HTTP: what fails is tried again at once. */
export const quick: Partial<HttpLimits> = { firstPauseMs: 1, longestPauseMs: 2, attempts: 3 };

export interface Outcome {
  pages: Page[];
  error?: unknown;
}

export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `id${n}`,
    login: `login${n}`,
    name: `Name ${n}`,
    enabled: n % 3 !== 0,
  }));
}

/** Fills a source; its answers, if it has any, are genuine. */
export async function given(source: SourceUnderTest, filled: readonly Person[], answerSize = 3): Promise<void> {
  const { reached } = source;
  if (reached.over === 'http') {
    if (!isLacking(reached.answerSize)) reached.answerSize(answerSize);
    reached.server.serve(reached.answer);
  }
  await source.fill(filled);
}

/** Reads to the end, or to what it fails with, and tests what holds of every read, however it goes. */
export async function attempt(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
  connector: Connector = source.open(),
): Promise<Outcome> {
  const outcome: Outcome = { pages: [] };
  const { pages } = outcome;
  const signal = options.signal ?? new AbortController().signal;
  try {
    // Cursor and checkpoint through JSON, as another process gets them.
    for await (const page of connector.read({ ...throughJson(options), pageSize: options.pageSize, signal })) {
      expect(page.records.length).toBeLessThanOrEqual(options.pageSize);
      expect(new Set(page.records.map((one) => one.external_id)).size).toBe(page.records.length);
      expect(throughJson(page)).toEqual(page);
      pages.push(page);
    }
  } catch (error) {
    if (isFailedExpectation(error)) throw error;
    outcome.error = error;
  }
  // `last` on the final page alone, and on none where the read failed.
  const ended = outcome.error === undefined;
  expect(pages.map(({ last }) => last)).toEqual(pages.map((_, index) => ended && index === pages.length - 1));
  expectNoSecret(source, pages);
  if (ended) expect(pages.length).toBeGreaterThan(0);
  else expectHonestError(source, outcome.error, signal);
  return outcome;
}

/** A read that has to succeed. */
export async function whole(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
  connector?: Connector,
): Promise<Page[]> {
  const { pages, error } = await attempt(source, options, connector);
  if (error !== undefined) throw error;
  return pages;
}

/** A read that has to fail with SourceError; gives its message. */
export async function failure(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number } = { pageSize: 4 },
  connector?: Connector,
): Promise<string> {
  const { error } = await attempt(source, options, connector);
  expect(error).toBeInstanceOf(SourceError);
  return (error as Error).message;
}

/** The same by a process that dies after every page and leaves its cursor to another. */
export async function inPieces(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
): Promise<Page[]> {
  const pages: Page[] = [];
  while (!pages.at(-1)?.last) {
    expect(pages.length).toBeLessThan(500);
    const { cursor } = pages.at(-1) ?? {};
    const left = throughJson({ ...options, ...(cursor && { cursor }) });
    const reading = { ...left, pageSize: options.pageSize, signal: new AbortController().signal };
    for await (const page of source.open().read(reading)) {
      pages.push(page);
      break;
    }
  }
  return pages;
}

/** What is known of each record after these pages. */
export function stateAfter(pages: readonly Page[], before: ReadonlyMap<string, SourceRecord> = new Map()) {
  const state = new Map(before);
  for (const { records, removed = [] } of pages) {
    for (const id of removed) state.delete(id);
    for (const record of records) state.set(record.external_id, record);
  }
  return state;
}

export function namesIn(records: Iterable<SourceRecord>): string[] {
  return [...records].map(({ fields }) => fields.display_name?.[0] ?? '').sort();
}

/** The names that a source which was filled with these people has to give. */
export function namesOf(source: SourceUnderTest, filled: readonly Person[]): string[] {
  return [...filled.map(({ name }) => name), ...(source.always ?? [])].sort();
}

export function expectNoSecret(source: SourceUnderTest, said: unknown): void {
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  for (const secret of source.secrets) expect(text).not.toContain(secret);
}

/** Settles when nothing is open any more that a connector had opened. */
export async function released({ reached }: SourceUnderTest): Promise<void> {
  if (reached.over === 'files') expect(reached.held()).toEqual([]);
  else if (reached.over !== 'ourselves') await (reached.over === 'http' ? reached.server : reached.wire()).released();
}

function expectHonestError(source: SourceUnderTest, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) {
    expect(error).toBe(signal.reason);
    return;
  }
  if (!(error instanceof SourceError) && !(error instanceof CheckpointExpired)) throw error;
  expect(error.message).not.toBe('');
  expectNoSecret(source, `${error.message} ${error.stack}`);
}

function isFailedExpectation(error: unknown): boolean {
  return error instanceof Error && 'matcherResult' in error;
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
