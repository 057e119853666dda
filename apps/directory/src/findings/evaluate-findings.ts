import { findingSubjects } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { recordEvents } from '@idsync/database/bus';
import {
  type ChangedSubjects,
  endAcceptances,
  type FindingPass,
  type FoundFinding,
  findChangedSubjects,
  findManagerCycles,
  findOtherFacts,
  findOthersAfter,
  findSourceFacts,
  findUnresolved,
  findUnresolvedAbout,
  findUnresolvedOf,
  findUserFacts,
  findUsersAfter,
  lockFindingPass,
  openFindings,
  purgeFindings,
  resolveFindings,
  saveFindingPass,
  saveFollowed,
  type UnresolvedFinding,
} from '@idsync/database/directory';
import { findFindingPolicy } from '@idsync/database/settings';
import { runChunk } from '../batch/divide-batch.js';
import { type Cause, causedAt, loadTenant } from '../changes/cause.js';
import type { Precedence } from '../lifecycle/rank-sources.js';
import { resolveLateManagers } from '../managers/resolve-late-managers.js';
import { cycleFinding, findingEvent, findingOfSource, findingsOfOther, findingsOfUser } from './findings-of.js';

/** Items per transaction. */
const chunkSize = 1_000;
/** How long resolved findings are kept. */
const keptMs = 90 * 24 * 60 * 60 * 1_000;

type Time = ReturnType<typeof causedAt>;

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
 * call. The others are evaluated in passes over all records, and between them for what has changed, in parts. Safe to kill:
 * each part is one transaction with its progress.
 */
export async function evaluateFindings(
  database: Database,
  tenantId: string,
  { until, fixedTime, force = false, chunkSize: size = chunkSize }: EvaluationOptions,
): Promise<void> {
  const time = causedAt(fixedTime);
  await database.transaction(tenantId, (tx) => checkTimes(tx, time.now, size));
  for (let first = true; ; first = false) {
    const isForced = first && force;
    const more = await runChunk(database, tenantId, size, (tx, limit) => runPart(tx, time, limit, isForced));
    if (!more || Date.now() >= until.getTime()) return;
  }
}

/** Checks what depends on time and concerns few rows. */
async function checkTimes(tx: Transaction, now: Date, limit: number): Promise<void> {
  await purgeFindings(tx, new Date(now.getTime() - keptMs), limit);
  const policy = await findFindingPolicy(tx);
  const stale = (await findSourceFacts(tx)).flatMap((source) => findingOfSource(source, policy, now) ?? []);
  const opened = await openFindings(tx, stale, now);
  const known = await findUnresolvedOf(tx, 'stale_source');
  const current = new Set(stale.map(({ subjectId }) => subjectId));
  const gone = known.filter(({ subjectId }) => !current.has(subjectId)).map(({ id }) => id);
  const resolved = await resolveFindings(tx, gone, now);
  const reopened = await endAcceptances(tx, now, limit);
  const changed = [...opened, ...resolved, ...reopened.filter(({ id }) => !gone.includes(id))];
  const events = changed.map((finding) => findingEvent(finding));
  await recordEvents(tx, events);
}

/** Evaluates the next part of a pass, or of the changes since. Returns false if none is due, or this was the last. */
async function runPart(tx: Transaction, time: Time, limit: number, force: boolean): Promise<boolean> {
  const startedAt = performance.now();
  const pass = await lockFindingPass(tx, force);
  if (!pass) return false;
  if (pass.phase === 'changes') return followChanges(tx, pass.since, time, limit);
  const { found = [], gone = [], last } = await phases[pass.phase](tx, pass, time, limit);
  const next = last ?? followingPhase(pass);
  await saveFindingPass(tx, next, performance.now() - startedAt);
  await saveFindings(tx, { found, gone }, time.now);
  return next !== undefined;
}

async function saveFindings(
  tx: Transaction,
  { found, gone }: { found: readonly FoundFinding[]; gone: readonly string[] },
  now: Date,
): Promise<void> {
  const opened = await openFindings(tx, found, now);
  const resolved = await resolveFindings(tx, gone, now);
  await recordEvents(
    tx,
    [...opened, ...resolved].map((finding) => findingEvent(finding)),
  );
}

/**
 * Evaluates the subjects of the next events. A pass mends what other people's changes mean for a person, such as a cycle
 * of managers.
 */
async function followChanges(tx: Transaction, since: number, time: Time, limit: number): Promise<boolean> {
  const changed = await findChangedSubjects(tx, since, limit);
  if (changed.last === null) return false;
  const found = await findAbout(tx, { ...(await loadTenant(tx)), ...time }, changed);
  const { users, others, identities, named } = changed;
  const known = await findUnresolvedAbout(tx, [...users, ...others, ...identities, ...named]);
  await saveFollowed(tx, changed.last);
  await saveFindings(tx, { found, gone: goneOf(known, found) }, time.now);
  return changed.count === limit;
}

function followingPhase({ phase }: FindingPass): FindingPass | undefined {
  if (phase === 'findings') return undefined;
  return { phase: phase === 'users' ? 'others' : 'findings', afterAt: null, afterId: null };
}

/** Reads of users in one transaction. */
const mostReads = 10;

interface EvaluatedPart {
  /** Findings that are true; some of them may be known. */
  found?: FoundFinding[];
  /** Ids of findings whose reason is gone. */
  gone?: string[];
  /** The last item of this part; undefined if the phase has ended. */
  last?: FindingPass | undefined;
}

/** Evaluates the next items of a phase. */
type Phase = (tx: Transaction, pass: FindingPass, time: Time, limit: number) => Promise<EvaluatedPart>;

const evaluateUsers: Phase = async (tx, pass, time, limit) => {
  const { ids, last } = await nextUsers(tx, pass, limit);
  if (ids.length === 0) return { last };
  const cause = { ...(await loadTenant(tx)), ...time };
  await resolveLateManagers(tx, cause, ids, limit === 1);
  const facts = await findUserFacts(tx, ids, precedenceOf(cause));
  const managed = facts.flatMap(({ managerId, identityId }) => (managerId && identityId ? identityId : []));
  const found = [...facts.flatMap(findingsOfUser), ...(await findCycles(tx, cause, managed))];
  return { found, last };
};

/** Reads on if users have no findings, because a transaction costs as much as reading several hundred of them. */
async function nextUsers(
  tx: Transaction,
  { phase, ...from }: FindingPass,
  limit: number,
): Promise<{ ids: string[]; last?: FindingPass }> {
  let after: Pick<FindingPass, 'afterAt' | 'afterId'> = from;
  for (let read = 1; ; read += 1) {
    const { ids, count, ...position } = await findUsersAfter(tx, after, limit);
    if (count < limit) return { ids };
    after = position;
    if (ids.length > 0 || read === mostReads) return { ids, last: { phase, ...after } };
  }
}

const evaluateOthers: Phase = async (tx, pass, time, limit) => {
  const ids = await findOthersAfter(tx, pass.afterId, limit);
  const found = ids.length === 0 ? [] : await findAboutOthers(tx, await loadTenant(tx), ids, time.now);
  return { found, last: ids.length === limit ? after(pass, ids.at(-1)) : undefined };
};

/** Evaluates the subjects of known findings again, because a subject that is gone is in no other phase. */
const evaluateKnown: Phase = async (tx, pass, time, limit) => {
  const next = await findUnresolved(tx, pass.afterId, limit);
  const last = next.length === limit ? after(pass, next.at(-1)?.id) : undefined;
  // `checkTimes` evaluates those about sources.
  const known = next.filter(({ kind }) => findingSubjects[kind] !== 'connector');
  if (known.length === 0) return { last };
  const subjects = (...are: string[]) => [
    ...new Set(known.filter(({ kind }) => are.includes(findingSubjects[kind])).map(({ subjectId }) => subjectId)),
  ];
  const found = await findAbout(
    tx,
    { ...(await loadTenant(tx)), ...time },
    { users: subjects('user'), others: subjects('account', 'machineIdentity'), identities: subjects('identity') },
  );
  return { gone: goneOf(known, found), last };
};

async function findAbout(
  tx: Transaction,
  cause: Cause,
  { users, others, identities }: Pick<ChangedSubjects, 'users' | 'others' | 'identities'>,
): Promise<FoundFinding[]> {
  return [
    ...(await findUserFacts(tx, users, precedenceOf(cause))).flatMap(findingsOfUser),
    ...(await findAboutOthers(tx, cause, others, cause.now)),
    ...(await findCycles(tx, cause, identities)),
  ];
}

/** Returns the known findings that are no longer true, except those about sources, which `checkTimes` evaluates. */
function goneOf(known: readonly UnresolvedFinding[], found: readonly FoundFinding[]): string[] {
  const current = new Set(found.map(({ kind, subjectId }) => `${kind} ${subjectId}`));
  return known
    .filter(({ kind, subjectId }) => findingSubjects[kind] !== 'connector' && !current.has(`${kind} ${subjectId}`))
    .map(({ id }) => id);
}

const phases: Record<FindingPass['phase'], Phase> = {
  users: evaluateUsers,
  others: evaluateOthers,
  findings: evaluateKnown,
};

async function findAboutOthers(
  tx: Transaction,
  tenant: Pick<Cause, 'tenantId' | keyof Precedence>,
  ids: readonly string[],
  now: Date,
): Promise<FoundFinding[]> {
  const policy = await findFindingPolicy(tx);
  const facts = await findOtherFacts(tx, ids, precedenceOf(tenant).employments);
  return facts.flatMap((each) => findingsOfOther(each, policy, now));
}

function precedenceOf({ connectors, rankOf }: Precedence): { ranks: Map<string, number>; employments: string[] } {
  return {
    ranks: new Map([...connectors.keys()].map((id) => [id, rankOf(id, 'status')])),
    employments: [...connectors.values()].flatMap(({ id, employments }) => (employments ? id : [])),
  };
}

async function findCycles(
  tx: Transaction,
  { connectors, rankOf }: Cause,
  identityIds: readonly string[],
): Promise<FoundFinding[]> {
  const ranks = new Map([...connectors.keys()].map((id) => [id, rankOf(id, 'manager_id')]));
  return (await findManagerCycles(tx, [...new Set(identityIds)], ranks)).map(cycleFinding);
}

function after({ phase }: FindingPass, id: string | undefined): FindingPass {
  return { phase, afterAt: null, afterId: id ?? null };
}
