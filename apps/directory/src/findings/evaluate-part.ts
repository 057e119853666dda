import { type FindingKind, findingKinds, findingSubjects } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type FindingPass,
  type FoundFinding,
  findManagerCycles,
  findOtherFacts,
  findOthersAfter,
  findUnresolved,
  findUserFacts,
  findUsersAfter,
} from '@idsync/database/directory';
import { findFindingPolicy } from '@idsync/database/settings';
import { type Cause, loadTenant } from '../cause.js';
import { resolveLateManagers } from '../managers/resolve-late-managers.js';
import type { Precedence } from '../rank-sources.js';
import { cycleFinding, findingsOfOther, findingsOfUser } from './findings-of.js';

/** Reads of users in one transaction. */
const mostReads = 10;

/** Time of the decisions; the time of changes is assigned unless a test fixes it. */
export type Time = Pick<Cause, 'now' | 'fixedTime'>;

export interface EvaluatedPart {
  /** Findings that are true; some of them may be known. */
  found: FoundFinding[];
  /** Ids of findings whose reason is gone. */
  gone: string[];
  /** The last item of this part; undefined if the phase has ended. */
  last?: FindingPass;
}

/** Evaluates the next items of a phase. */
export async function evaluatePart(
  tx: Transaction,
  tenantId: string,
  pass: FindingPass,
  time: Time,
  limit: number,
): Promise<EvaluatedPart> {
  if (pass.phase === 'users') return evaluateUsers(tx, tenantId, pass, time, limit);
  if (pass.phase === 'others') return evaluateOthers(tx, tenantId, pass, time, limit);
  return evaluateKnown(tx, tenantId, pass, time, limit);
}

async function evaluateUsers(
  tx: Transaction,
  tenantId: string,
  pass: FindingPass,
  time: Time,
  limit: number,
): Promise<EvaluatedPart> {
  const { ids, last } = await nextUsers(tx, tenantId, pass, limit);
  if (ids.length === 0) return { found: [], gone: [], ...(last && { last }) };
  const cause = { ...(await loadTenant(tx, tenantId)), ...time };
  await resolveLateManagers(tx, cause, ids, limit === 1);
  const facts = await findUserFacts(tx, tenantId, ids, precedenceOf(cause));
  const managed = facts.flatMap(({ managerId, identityId }) => (managerId && identityId ? identityId : []));
  const found = [...facts.flatMap(findingsOfUser), ...(await findCycles(tx, cause, managed))];
  return { found, gone: [], ...(last && { last }) };
}

/** Reads on if users have no findings, because a transaction costs as much as reading several hundred of them. */
async function nextUsers(
  tx: Transaction,
  tenantId: string,
  { phase, ...from }: FindingPass,
  limit: number,
): Promise<{ ids: string[]; last?: FindingPass }> {
  let after: Pick<FindingPass, 'afterAt' | 'afterId'> = from;
  for (let read = 1; ; read += 1) {
    const { ids, count, ...position } = await findUsersAfter(tx, tenantId, after, limit);
    if (count < limit) return { ids };
    after = position;
    if (ids.length > 0 || read === mostReads) return { ids, last: { phase, ...after } };
  }
}

async function evaluateOthers(
  tx: Transaction,
  tenantId: string,
  pass: FindingPass,
  time: Time,
  limit: number,
): Promise<EvaluatedPart> {
  const ids = await findOthersAfter(tx, tenantId, pass.afterId, limit);
  const found = ids.length === 0 ? [] : await findAboutOthers(tx, await loadTenant(tx, tenantId), ids, time.now);
  return { found, gone: [], ...(ids.length === limit && { last: after(pass, ids.at(-1)) }) };
}

const subjectIs = (kinds: readonly string[]) => findingKinds.filter((kind) => kinds.includes(findingSubjects[kind]));
const aboutUsers = subjectIs(['user']);
const aboutOthers = subjectIs(['account', 'machineIdentity']);
const aboutIdentities = subjectIs(['identity']);
/** Evaluated by `checkTimes`. */
const aboutSources = subjectIs(['connector']);

/** Evaluates the subjects of known findings again, because a subject that is gone is in no other phase. */
async function evaluateKnown(
  tx: Transaction,
  tenantId: string,
  pass: FindingPass,
  time: Time,
  limit: number,
): Promise<EvaluatedPart> {
  const next = await findUnresolved(tx, tenantId, pass.afterId, limit);
  const known = next.filter(({ kind }) => !aboutSources.includes(kind));
  const subjects = (those: readonly FindingKind[]) => [
    ...new Set(known.filter(({ kind }) => those.includes(kind)).map(({ subjectId }) => subjectId)),
  ];
  const people = subjects(aboutIdentities);
  const users = subjects(aboutUsers);
  const tenant = known.length > 0 ? await loadTenant(tx, tenantId) : undefined;
  const found = tenant
    ? [
        ...(await findUserFacts(tx, tenantId, users, precedenceOf(tenant))).flatMap(findingsOfUser),
        ...(await findAboutOthers(tx, tenant, subjects(aboutOthers), time.now)),
        ...(await findCycles(tx, { ...tenant, ...time }, people)),
      ]
    : [];
  const current = new Set(found.map(({ kind, subjectId }) => `${kind} ${subjectId}`));
  const gone = known.filter(({ kind, subjectId }) => !current.has(`${kind} ${subjectId}`)).map(({ id }) => id);
  return { found: [], gone, ...(next.length === limit && { last: after(pass, next.at(-1)?.id) }) };
}

async function findAboutOthers(
  tx: Transaction,
  tenant: Pick<Cause, 'tenantId' | keyof Precedence>,
  ids: readonly string[],
  now: Date,
): Promise<FoundFinding[]> {
  const policy = await findFindingPolicy(tx, tenant.tenantId);
  const facts = await findOtherFacts(tx, tenant.tenantId, ids, precedenceOf(tenant).employments);
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
  { tenantId, connectors, rankOf }: Cause,
  identityIds: readonly string[],
): Promise<FoundFinding[]> {
  const ranks = new Map([...connectors.keys()].map((id) => [id, rankOf(id, 'manager_id')]));
  return (await findManagerCycles(tx, tenantId, [...new Set(identityIds)], ranks)).map(cycleFinding);
}

function after({ phase }: FindingPass, id: string | undefined): FindingPass {
  return { phase, afterAt: null, afterId: id ?? null };
}
