import { type Message, newUuid } from '@idsync/contracts';
import {
  type Database,
  findNewestCases,
  findSharers,
  isQueueReady,
  lockRecordsById,
  type ReviewCase,
  saveCases,
  settleCases,
  type Transaction,
  takeQueued,
} from '@idsync/database';
import { applyChanges } from './apply-changes.js';
import { type Cause, learnTenant } from './cause.js';
import type { Proposal } from './matching/find-candidates.js';
import { surroundingsOf } from './matching/surroundings.js';
import { proposalsFor, trustedAmong } from './matching/trusted-proposals.js';

/** Records a transaction; each brings its look-alikes with it. */
const portion = 300;

/**
 * Compares what jobs brought with everybody it resembles, and asks an operator, or links where the tenant's rules trust a
 * unique likeness. While a job brings people nothing is compared, because half a list shows a namesake as unique: its end
 * works the queue off. Killed at any point, the queue still holds what was not compared.
 */
export async function proposeMatches(
  database: Database,
  { tenant_id: tenantId }: Pick<Message<'sync.job.ended'>, 'tenant_id'>,
  now: Date = new Date(),
): Promise<void> {
  for (;;) {
    const more = await database.transaction(tenantId, async (tx) => {
      if (!(await isQueueReady(tx, tenantId))) return false;
      const tenant = await learnTenant(tx, tenantId, 'alone');
      // What a job brings that has begun meanwhile waits for the lock.
      if (!(await isQueueReady(tx, tenantId))) return false;
      const queued = await takeQueued(tx, tenantId, portion);
      await compare(tx, { ...tenant, now }, queued);
      return queued.length === portion;
    });
    if (!more) return;
  }
}

/** Proposes for these records and for those that resemble them. */
async function compare(tx: Transaction, cause: Cause, recordIds: readonly string[]): Promise<void> {
  const { tenantId, now } = cause;
  const subjectIds = new Set([...recordIds, ...(await findSharers(tx, tenantId, recordIds)).flat()]);
  const around = await surroundingsOf(tx, tenantId, subjectIds);
  const proposals = proposalsFor(subjectIds, around, cause);
  const trusted = await trustedAmong(tx, cause, proposals, around);
  const asked = proposals.filter((proposal) => !trusted.has(proposal));

  const newest = await findNewestCases(tx, [...subjectIds]);
  const proposed = new Set(asked.map(({ record }) => record.id));
  await settleCases(
    tx,
    [...subjectIds].filter((id) => !proposed.has(id)),
    'weak',
    now,
  );
  await saveCases(
    tx,
    tenantId,
    asked
      .filter((proposal) => isNews(proposal, newest.get(proposal.record.id)))
      .map((proposal) => caseOf(proposal, now)),
  );
  await link(tx, cause, [...trusted]);
}

/** An operator who ignored a proposal is asked again only when somebody new could be meant. */
function isNews({ candidates }: Proposal, newest: ReviewCase | undefined): boolean {
  if (newest?.status === 'open') return newest.kind === 'weak';
  if (newest?.status !== 'ignored') return true;
  const known = new Set(newest.candidates.map(({ identity_id }) => identity_id));
  return candidates.some(({ identity_id }) => !known.has(identity_id));
}

function caseOf({ record, tier, candidates }: Proposal, now: Date): Omit<ReviewCase, 'status'> {
  return { id: newUuid(), recordId: record.id, kind: 'weak', reason: tier.name, candidates, openedAt: now };
}

async function link(tx: Transaction, cause: Cause, proposals: readonly Proposal[]): Promise<void> {
  const target = new Map(proposals.map(({ record, candidates }) => [record.id, candidates[0]?.identity_id]));
  const current = new Map(proposals.map(({ record }) => [record.id, record.identityId]));
  const locked = await lockRecordsById(tx, [...target.keys()]);
  // Linked or moved since it was compared, a record stands on the queue again.
  const unmoved = locked.filter((record) => record.identityId === current.get(record.id));
  await applyChanges(
    tx,
    cause,
    unmoved.map((before) => ({
      before,
      record: { ...before, identityId: target.get(before.id), linkedBy: undefined },
    })),
  );
}
