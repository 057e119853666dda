import type { Transaction } from '@idsync/database';
import {
  countEntries,
  countOpenEntries,
  findJobState,
  findOpenEntries,
  findOpenEntryIds,
  findOutdatedEntries,
  hasRunSince,
  isConnectorBusy,
  type JobState,
  LoadLimitExceeded,
  lockPlan,
  markEntriesDone,
  savePlan,
} from '@idsync/database/directory';
import { countPeople } from '@idsync/database/settings';
import { peopleLimit } from '../batch/people-quota.js';
import { applyChanges } from '../changes/apply-changes.js';
import { idsOf } from '../shared/collections.js';
import { plannedChanges } from '../sweep/planned-changes.js';
import { Refused } from './outcome.js';
import type { TenantChange } from './tenant-change.js';

/**
 * Applies exactly the plan of a dry run. Refuses if one of its records was changed, added or removed since, because the
 * plan then differs from what the operator has reviewed. A run of the connector between two parts stops it.
 */
export const applyPlan: TenantChange<'plan.apply'> = {
  nothing: { records_created: 0, records_updated: 0, records_deleted: 0 },
  steps: 1,
  begin: async (tx, { operationId = '' }, { job_id, reason, preview }) => {
    const job = await findJobState(tx, job_id);
    if (!job) throw new Refused('the job does not exist');
    if (!job.dryRun) throw new Refused('the job is not a dry run');
    if (!job.status.startsWith('completed')) throw new Refused(`the dry run is ${job.status}`);
    if (preview) return;
    const plan = await lockPlan(tx, job);
    if (plan.state === 'done') throw new Refused('the plan has already been applied');
    if (plan.state !== 'ready') throw new Refused('the dry run has no plan');
    if (reason === undefined && plan.reasons.length > 0) {
      throw new Refused(`the safeguard would quarantine this plan; give a reason to apply it anyway (${plan.note})`);
    }
    await requireRoom(tx, job, (await countEntries(tx, job.id)).create);
    await requireNoRun(tx, job, operationId);
    const outdated = await findOutdatedEntries(tx, job.id, job.connectorId);
    if (outdated.length > 0) {
      throw new Refused(`the directory has changed since the dry run (${outdated.join(', ')}); start another dry run`);
    }
  },
  count: (tx, { job_id }) => countOpenEntries(tx, job_id),
  find: (tx, { job_id }, { after }, limit) => findOpenEntryIds(tx, job_id, after, limit),
  change: async (tx, cause, { job_id, preview }, ids, done) => {
    const job = await findJobState(tx, job_id);
    if (!job) throw new Refused('the job does not exist');
    const entries = await findOpenEntries(tx, job.id, ids.length, { after: Number(ids[0]) - 1 });
    if (entries.length < ids.length) throw new LoadLimitExceeded('the changes of the plan exceed the size of a batch');
    if (!preview) {
      await lockPlan(tx, job);
      await requireNoRun(tx, job, cause.operationId ?? '');
      await requireRoom(tx, job, entries.filter(({ action }) => action === 'create').length);
      await markEntriesDone(tx, job.id, idsOf(entries));
    }
    const result = { ...done };
    for (const { action, basedOn } of entries) {
      if (basedOn === undefined) result.records_created += 1;
      else if (action === 'delete') result.records_deleted += 1;
      else result.records_updated += 1;
    }
    const { changes, groups } = await plannedChanges(tx, job, entries, cause);
    await applyChanges(tx, { ...cause, jobId: job.id, groups }, changes);
    return result;
  },
  end: async (tx, _, { job_id, preview }) => {
    const job = preview ? undefined : await findJobState(tx, job_id);
    if (job) await savePlan(tx, { ...(await lockPlan(tx, job)), state: 'done' });
  },
};

/** A run has newer records than the plan. */
async function requireNoRun(tx: Transaction, job: JobState, operationId: string): Promise<void> {
  if (await isConnectorBusy(tx, job.connectorId)) throw new Refused('a sync job of the connector is running');
  if (await hasRunSince(tx, job, operationId))
    throw new Refused('a sync job of the connector has begun meanwhile; start another dry run');
}

/** Refuses a plan as a whole, because its reviewer expects all of it. */
async function requireRoom(tx: Transaction, { kind }: JobState, creates: number): Promise<void> {
  const limit = await peopleLimit(tx, kind);
  if (limit === undefined) return;
  const people = await countPeople(tx);
  if (creates > 0 && people + creates > limit)
    throw new Refused(
      `the plan creates ${creates} users beside ${people}, and the quota of the tenant is ${limit} people`,
    );
}
