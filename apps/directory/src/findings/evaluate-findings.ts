import type { Database, Transaction } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import {
  endAcceptances,
  type FindingPass,
  findSourceFacts,
  findUnresolvedOf,
  lockFindingPass,
  openFindings,
  purgeFindings,
  resolveFindings,
  saveFindingPass,
} from '@idsync/database/directory';
import { findFindingPolicy } from '@idsync/database/settings';
import { runChunk } from '../apply-in-halves.js';
import { causedAt } from '../cause.js';
import { evaluatePart, type Time } from './evaluate-part.js';
import { findingEvent, findingOfSource } from './findings-of.js';

/** Items per transaction. */
const chunkSize = 1_000;
/** How long resolved findings are kept. */
const keptMs = 90 * 24 * 60 * 60 * 1_000;

export interface EvaluationOptions {
  /** Time to stop; the next call continues. */
  until: Date;
  /** Replaces the clock in tests. */
  fixedTime?: Date | undefined;
  /** Begins a pass that is not due yet. */
  force?: boolean;
  chunkSize?: number;
}

/**
 * Opens and resolves the findings of a tenant. Findings about sources and the ends of acceptances are checked by every
 * call. The others are evaluated in passes over all records, in parts. Safe to kill: each part is one transaction with
 * its progress.
 */
export async function evaluateFindings(
  database: Database,
  tenantId: string,
  { until, fixedTime, force = false, chunkSize: size = chunkSize }: EvaluationOptions,
): Promise<void> {
  const time = causedAt(fixedTime);
  await database.transaction(tenantId, (tx) => checkTimes(tx, tenantId, time.now, size));
  for (let first = true; ; first = false) {
    const isForced = first && force;
    const more = await runChunk(database, tenantId, size, (tx, limit) => runPart(tx, tenantId, time, limit, isForced));
    if (!more || Date.now() >= until.getTime()) return;
  }
}

/** Checks what depends on time and concerns few rows. */
async function checkTimes(tx: Transaction, tenantId: string, now: Date, limit: number): Promise<void> {
  await purgeFindings(tx, tenantId, new Date(now.getTime() - keptMs), limit);
  const policy = await findFindingPolicy(tx, tenantId);
  const stale = (await findSourceFacts(tx, tenantId)).flatMap((source) => findingOfSource(source, policy, now) ?? []);
  const opened = await openFindings(tx, tenantId, stale, now);
  const known = await findUnresolvedOf(tx, tenantId, 'stale_source');
  const current = new Set(stale.map(({ subjectId }) => subjectId));
  const gone = known.filter(({ subjectId }) => !current.has(subjectId)).map(({ id }) => id);
  const resolved = await resolveFindings(tx, gone, now);
  const reopened = await endAcceptances(tx, tenantId, now, limit);
  const changed = [...opened, ...resolved, ...reopened.filter(({ id }) => !gone.includes(id))];
  await recordEvents(
    tx,
    tenantId,
    changed.map((finding) => findingEvent(finding)),
  );
}

/** Evaluates the next part of a pass. Returns false if no pass is due, or this was its last part. */
async function runPart(tx: Transaction, tenantId: string, time: Time, limit: number, force: boolean): Promise<boolean> {
  const startedAt = performance.now();
  const pass = await lockFindingPass(tx, tenantId, force);
  if (!pass) return false;
  const { found, gone, last } = await evaluatePart(tx, tenantId, pass, time, limit);
  const opened = await openFindings(tx, tenantId, found, time.now);
  const resolved = await resolveFindings(tx, gone, time.now);
  const next = last ?? followingPhase(pass);
  await saveFindingPass(tx, tenantId, next, performance.now() - startedAt);
  await recordEvents(
    tx,
    tenantId,
    [...opened, ...resolved].map((finding) => findingEvent(finding)),
  );
  return next !== undefined;
}

function followingPhase({ phase }: FindingPass): FindingPass | undefined {
  if (phase === 'findings') return undefined;
  return { phase: phase === 'users' ? 'others' : 'findings', afterAt: null, afterId: null };
}
