import type { Transaction } from '@idsync/database';
import {
  countEntries,
  findJobState,
  findOpenEntries,
  findOutdatedEntries,
  isConnectorBusy,
  type JobState,
  lockPlan,
  markEntriesDone,
  savePlan,
} from '@idsync/database/directory';
import { countPeople } from '@idsync/database/settings';
import { peopleLimit } from '../batch/people-quota.js';
import { applyChanges } from '../changes/apply-changes.js';
import { idsOf } from '../shared/collections.js';
import { plannedChanges } from '../sweep/planned-changes.js';
import { type Handler, Refused } from './outcome.js';

/** Records per chunk. */
const chunkSize = 1_000;

/**
 * Applies exactly the plan of a dry run in one transaction. Refuses if one of its records was changed, added or removed
 * since, because the plan then differs from what the operator has reviewed.
 */
export const applyPlan: Handler<'plan.apply'> = async (tx, cause, { job_id, reason }) => {
  const job = await findJobState(tx, job_id);
  if (!job) throw new Refused('the job does not exist');
  if (!job.dryRun) throw new Refused('the job is not a dry run');
  if (!job.status.startsWith('completed')) throw new Refused(`the dry run is ${job.status}`);
  const plan = await lockPlan(tx, cause.tenantId, job);
  if (plan.state === 'done') throw new Refused('the plan has already been applied');
  if (plan.state !== 'ready') throw new Refused('the dry run has no plan');
  if (reason === undefined && plan.reasons.length > 0) {
    throw new Refused(`the safeguard would quarantine this plan; give a reason to apply it anyway (${plan.note})`);
  }
  await requireRoom(tx, cause.tenantId, job);
  if (await isConnectorBusy(tx, job.connectorId)) throw new Refused('a sync job of the connector is running');
  const outdated = await findOutdatedEntries(tx, job.id, job.connectorId);
  if (outdated.length > 0) {
    throw new Refused(`the directory has changed since the dry run (${outdated.join(', ')}); start another dry run`);
  }
  const result = { records_created: 0, records_updated: 0, records_deleted: 0 };
  for (;;) {
    const entries = await findOpenEntries(tx, job.id, chunkSize);
    if (entries.length === 0) break;
    await markEntriesDone(tx, job.id, idsOf(entries));
    for (const { action, basedOn } of entries) {
      if (basedOn === undefined) result.records_created += 1;
      else if (action === 'delete') result.records_deleted += 1;
      else result.records_updated += 1;
    }
    const { changes } = await plannedChanges(tx, job, entries, cause);
    await applyChanges(tx, { ...cause, jobId: job.id }, changes);
  }
  await savePlan(tx, { ...plan, state: 'done' });
  return { result };
};

/** Refuses a plan as a whole, because its reviewer expects all of it. */
async function requireRoom(tx: Transaction, tenantId: string, { id, kind }: JobState): Promise<void> {
  const limit = await peopleLimit(tx, tenantId, kind);
  if (limit === undefined) return;
  const { create } = await countEntries(tx, id);
  const people = await countPeople(tx, tenantId);
  if (create > 0 && people + create > limit)
    throw new Refused(
      `the plan creates ${create} users beside ${people}, and the quota of the tenant is ${limit} people`,
    );
}
