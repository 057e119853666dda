import type { OperationInput } from '@idsync/contracts';
import {
  findJobState,
  findOpenEntries,
  findOutdatedEntries,
  findSafeguard,
  isConnectorBusy,
  type JobState,
  lockPlan,
  markEntriesDone,
  type SyncPlan,
  savePlan,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import type { Cause } from '../cause.js';
import { changesOf } from '../sweep/carry-out.js';
import { whyHeld } from '../sweep/guard.js';
import { type Outcome, Refused } from './outcome.js';

/** Records that are changed at a time. */
const portion = 1_000;

/**
 * Does exactly what a dry run wrote down, all of it or nothing. Refuses if one of its records has changed since, came or
 * went: then the plan is no longer what the operator looked at.
 */
export async function applyPlan(
  tx: Transaction,
  cause: Cause,
  { job_id, reason }: OperationInput<'plan.apply'>,
): Promise<Outcome> {
  const job = await findJobState(tx, job_id);
  if (!job) throw new Refused('there is no such job');
  if (!job.dryRun) throw new Refused('the job was no dry run');
  if (!job.status.startsWith('completed')) throw new Refused(`the dry run is ${job.status}`);
  const plan = await lockPlan(tx, cause.tenantId, job);
  if (plan.state === 'done') throw new Refused('the plan was applied already');
  if (plan.state !== 'ready') throw new Refused('the dry run left no plan');
  if (reason === undefined && (await isHarmful(tx, job, plan))) {
    throw new Refused(`the safeguard would hold this back; give a reason to apply it all the same (${plan.note})`);
  }
  if (await isConnectorBusy(tx, job.connectorId)) throw new Refused('a sync job of the connector is running');
  const outdated = await findOutdatedEntries(tx, job.id, job.connectorId);
  if (outdated.length > 0) {
    throw new Refused(`the directory has changed since the dry run, as ${outdated.join(', ')} did; make another one`);
  }
  const result = { records_created: 0, records_updated: 0, records_deleted: 0 };
  for (;;) {
    const entries = await findOpenEntries(tx, job.id, portion);
    if (entries.length === 0) break;
    await markEntriesDone(
      tx,
      entries.map(({ id }) => id),
    );
    for (const { action } of entries) {
      if (action === 'create') result.records_created += 1;
      else if (action === 'delete') result.records_deleted += 1;
      else result.records_updated += 1;
    }
    const { changes } = await changesOf(tx, job, entries, cause.now);
    await applyChanges(tx, { ...cause, jobId: job.id }, changes);
  }
  await savePlan(tx, { ...plan, state: 'done' });
  return { result };
}

async function isHarmful(tx: Transaction, job: JobState, { known, deletions, disables }: SyncPlan): Promise<boolean> {
  if (known === undefined) return false;
  const guard = await findSafeguard(tx, job.connectorId);
  return whyHeld(guard, { known, deletions, disables }, job.recordsRead === 0) !== undefined;
}
