import { type Message, newUuid } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import {
  type CasesOfRecord,
  findCasesOf,
  findRecordsSharingValues,
  isQueueReady,
  lockRecordsById,
  type ReviewCase,
  saveCases,
  settleCases,
  takeQueued,
} from '@idsync/database/directory';
import { applyChanges } from './apply-changes.js';
import { applyInHalves, runChunk } from './apply-in-halves.js';
import { type Cause, causedAt, loadTenant } from './cause.js';
import { NotApplicable } from './divide-batch.js';
import type { Proposal, Surroundings } from './matching/find-candidates.js';
import { fuzzyEvidence } from './matching/fuzzy-evidence.js';
import { hasNewCandidate } from './matching/save-disputes.js';
import { proposalsFor, surroundingsOf, trustedAmong } from './matching/surroundings.js';
import type { RecordChange, Settled } from './record-change.js';

/** Records per transaction, each loaded with the records that share a fuzzy value with it. */
const chunkSize = 300;

/**
 * Processes the fuzzy-match queue: opens review cases, or links where the tenant's rules allow it for a unique match.
 * Waits while a job of people runs, because a namesake can look unique in a partially read source. Safe to kill:
 * records leave the queue in the transaction that compares them.
 */
export async function proposeMatches(
  database: Database,
  { tenant_id: tenantId }: Pick<Message<'sync.job.ended'>, 'tenant_id'>,
  fixedTime?: Date,
): Promise<void> {
  for (;;) {
    const more = await runChunk(database, tenantId, chunkSize, async (tx, size) => {
      if (!(await isQueueReady(tx, tenantId))) return false;
      const tenant = await loadTenant(tx, tenantId, 'alone');
      // Checked again under the lock: a job that starts from now on waits for it.
      if (!(await isQueueReady(tx, tenantId))) return false;
      const queued = await takeQueued(tx, tenantId, size);
      await compareRecords(tx, { ...tenant, ...causedAt(fixedTime) }, queued);
      return queued.length === size;
    });
    if (!more) return;
  }
}

interface Compared {
  linked: Settled[];
  /** Proposals for which a case was opened or updated. */
  proposed: Proposal[];
}

/** Compares these records and all records that share a fuzzy value with them. */
export async function compareRecords(tx: Transaction, cause: Cause, recordIds: readonly string[]): Promise<Compared> {
  const { tenantId, now } = cause;
  const subjectIds = new Set([...recordIds, ...(await findRecordsSharingValues(tx, tenantId, recordIds)).flat()]);
  const around = await surroundingsOf(tx, tenantId, subjectIds);
  const proposals = proposalsFor(subjectIds, around, cause);
  const trusted = await trustedAmong(tx, cause, proposals, around);
  const toReview = proposals.filter((proposal) => !trusted.has(proposal));

  const earlier = await findCasesOf(tx, [...subjectIds]);
  const opened = toReview.filter((proposal) => shouldOpenCase(proposal, earlier.get(proposal.record.id)));
  const stay = new Set(opened.map(({ record }) => record.id));
  await settleCases(
    tx,
    [...subjectIds].filter((id) => !stay.has(id)),
    'weak',
    now,
  );
  await saveCases(
    tx,
    tenantId,
    opened.map((proposal) => caseOf(proposal, now)),
  );
  return { linked: await link(tx, cause, [...trusted], around), proposed: opened };
}

/** An open case of another kind stays as it is. */
function shouldOpenCase({ candidates }: Proposal, { open, decided }: CasesOfRecord = {}): boolean {
  return (open === undefined || open.kind === 'weak') && hasNewCandidate(candidates, decided);
}

function caseOf({ record, tier, candidates }: Proposal, now: Date): Omit<ReviewCase, 'status'> {
  return { id: newUuid(), recordId: record.id, kind: 'weak', reason: tier.name, candidates, openedAt: now };
}

async function link(
  tx: Transaction,
  cause: Cause,
  proposals: readonly Proposal[],
  { records }: Surroundings,
): Promise<Settled[]> {
  const target = new Map(proposals.map(({ record, candidates }) => [record.id, candidates[0]?.identity_id]));
  const evidence = new Map(
    proposals.map((proposal) => [proposal.record.id, fuzzyEvidence(proposal, records, cause.rules)]),
  );
  const current = new Map(proposals.map(({ record }) => [record.id, record.identityId]));
  const locked = await lockRecordsById(tx, [...target.keys()]);
  // A record that was linked or moved since the comparison is on the queue again.
  const unmoved = locked.filter((record) => record.identityId === current.get(record.id));
  return applyWithinWeight(
    tx,
    cause,
    unmoved.map((before) => ({
      before,
      record: { ...before, identityId: target.get(before.id), linkedBy: undefined },
      evidence: evidence.get(before.id),
    })),
  );
}

/** Makes the links, except those that would make an identity too large. */
function applyWithinWeight(tx: Transaction, cause: Cause, changes: readonly RecordChange[]): Promise<Settled[]> {
  return applyInHalves(
    tx,
    changes,
    (part) => applyChanges(tx, cause, part),
    (error) => {
      if (!(error instanceof NotApplicable)) throw error;
    },
  );
}
