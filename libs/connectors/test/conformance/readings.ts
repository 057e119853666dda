import type { SourceRecord } from '@idsync/contracts';
import { expect } from '@jest/globals';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../../src/connector.js';
import type { HttpLimits } from '../../src/http/http-transport.js';
import { guardedError } from '../../src/secrets/guarded.js';
import { isUnsupported, type Person, type SourceUnderTest } from './source-under-test.js';

/** Limits for HTTP connectors under test: retries almost without a pause. */
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

/** Fills a source and removes the faults of earlier tests. */
export async function given(source: SourceUnderTest, filled: readonly Person[], answerSize = 3): Promise<void> {
  const { reached } = source;
  if (reached.over === 'http') {
    if (!isUnsupported(reached.answerSize)) reached.answerSize(answerSize);
    reached.server.serve(reached.answer);
  }
  await source.fill(filled);
}

/** Reads until the end or an error and checks the invariants of every read. */
export async function attempt(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
  connector: Pick<Connector, 'read'> = source.open(),
): Promise<Outcome> {
  const outcome: Outcome = { pages: [] };
  const { pages } = outcome;
  const signal = options.signal ?? new AbortController().signal;
  try {
    // Cursor and checkpoint pass through JSON, as they do between processes.
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
  // Only the final page has `last`, and no page if the read failed.
  const ended = outcome.error === undefined;
  expect(pages.map(({ last }) => last)).toEqual(pages.map((_, index) => ended && index === pages.length - 1));
  expectNoSecret(source, pages);
  if (ended) expect(pages.length).toBeGreaterThan(0);
  else expectHonestError(source, outcome.error, signal);
  return outcome;
}

/** Reads to the end and throws if that fails. */
export async function readComplete(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
  connector?: Pick<Connector, 'read'>,
): Promise<Page[]> {
  const { pages, error } = await attempt(source, options, connector);
  if (error !== undefined) throw error;
  return pages;
}

/** Expects a read to fail with SourceError and returns the message. */
export async function failure(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number } = { pageSize: 4 },
  connector?: Connector,
): Promise<string> {
  const { error } = await attempt(source, options, connector);
  expect(error).toBeInstanceOf(SourceError);
  return (error as Error).message;
}

/** Reads to the end with a new connector for each page, resumed from the cursor. */
export async function inPieces(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
): Promise<Page[]> {
  const pages: Page[] = [];
  while (!pages.at(-1)?.last) {
    expect(pages.length).toBeLessThan(500);
    const { cursor } = pages.at(-1) ?? {};
    pages.push(await firstPage(source, { ...options, ...(cursor && { cursor }) }));
  }
  return pages;
}

/** Reads one page with a new connector. */
export async function firstPage(
  source: SourceUnderTest,
  options: Partial<ReadOptions> & { pageSize: number },
): Promise<Page> {
  const reading = { ...throughJson(options), pageSize: options.pageSize, signal: new AbortController().signal };
  for await (const page of source.open().read(reading)) return page;
  throw new Error('the read returned no page');
}

/** Returns the state of each record after these pages. */
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

/** Returns the names expected from a source that was filled with these people. */
export function namesOf(source: SourceUnderTest, filled: readonly Person[]): string[] {
  return [...filled.map(({ name }) => name), ...(source.always ?? [])].sort();
}

export function expectNoSecret(source: SourceUnderTest, said: unknown): void {
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  for (const secret of source.secrets) expect(text).not.toContain(secret);
}

/** Resolves when all files and connections of the connector are closed. */
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
  expect(error.message).not.toContain(sourceText);
  const safe = guardedError(error, source.secrets);
  if (safe instanceof SourceError) expectNoPart(source, safe.said ?? '');
}

/** Text in error responses of the test servers, which no message may contain. */
export const sourceText = 'w0rd-of-the-source';

/** Expects no part of a secret of six characters or more. */
function expectNoPart(source: SourceUnderTest, said: string): void {
  const parts = source.secrets.flatMap((secret) =>
    Array.from({ length: Math.max(0, secret.length - 5) }, (_, at) => secret.slice(at, at + 6)),
  );
  // One expectation, because they were a third of the time of some connectors.
  expect(parts.filter((part) => said.includes(part))).toEqual([]);
}

function isFailedExpectation(error: unknown): boolean {
  return error instanceof Error && 'matcherResult' in error;
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
