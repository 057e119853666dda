import { type Message, newUuid, type SourceRecord } from '@idsync/contracts';
import { findJobPlan } from '@idsync/database/gateway';
import { applyBatch } from '../src/batch/apply-batch.js';
import { sweepJob } from '../src/sweep/sweep-job.js';
import { directoryFaults } from './directory-faults.js';
import type { Harness } from './harness.js';

export interface RunOptions {
  /** Records that the source skipped. */
  errors?: readonly { external_id?: string; message: string; said?: string; hides_others?: true }[];
  dryRun?: boolean;
  mode?: 'full' | 'changes';
  /** Numbers of the batches in the order in which they are applied; default in order. */
  order?: readonly number[];
  at?: string;
}

export interface Answer {
  type: 'sync.sweep.ended' | 'sync.sweep.held';
  deleted?: number;
  note?: string;
}

/** Applies all batches of a job and sets its counts, as the sync-worker would. Returns the job id. */
export async function appliedRun(
  harness: Harness,
  connector: string,
  batches: readonly (readonly SourceRecord[])[],
  { errors = [], dryRun = false, mode = 'full', order = [...batches.keys()], at }: RunOptions = {},
): Promise<string> {
  const { fixture, database, tenant } = harness;
  const job = await fixture.job(tenant, connector, 'running');
  await fixture.rows('update sync_jobs set dry_run = $2, mode = $3 where id = $1', [job, dryRun, mode]);
  const now = at === undefined ? undefined : new Date(at);
  for (const seq of order) {
    await applyBatch(database, await fixture.batch(tenant, connector, job, seq, batches[seq] ?? []), {
      fixedTime: now,
    });
  }
  const applied = batches.flat().length;
  await fixture.rows(
    `update sync_jobs set batches_total = $2, batches_processed = $2, records_read = $3, records_applied = $4,
            records_failed = $5 where id = $1`,
    [job, batches.length, applied + errors.length, applied, errors.length],
  );
  for (const { external_id, message, said, hides_others } of errors) {
    await fixture.rows(
      `insert into sync_record_errors (job_id, id, tenant_id, external_id, message, hides_others, source_message)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [job, newUuid(), tenant, external_id ?? null, message, hides_others ?? false, said ?? null],
    );
  }
  return job;
}

/** Runs `appliedRun` and the sweep of the job. */
export async function wholeRun(...run: Parameters<typeof appliedRun>): Promise<string> {
  const job = await appliedRun(...run);
  await sweep(run[0], job, run[3]?.at);
  return job;
}

export async function sweep({ database, fixture, tenant }: Harness, job: string, at?: string): Promise<void> {
  const message = { id: newUuid(), tenant_id: tenant, data: { job_id: job } };
  await sweepJob(database, message, at === undefined ? undefined : new Date(at));
  const faults = await directoryFaults(fixture, tenant);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** Returns the directory's answers to a job's sweeps, oldest first. */
export async function answers({ fixture }: Harness, job: string): Promise<Answer[]> {
  const rows = await fixture.rows<{ type: Answer['type']; message: string }>(
    `select type, message from outbox where type like 'sync.sweep.%' and message::jsonb #>> '{data,job_id}' = $1 order by id`,
    [job],
  );
  return rows.map(({ type, message }) => {
    const { job_id: _, ...data } = (JSON.parse(message) as Message<'sync.sweep.ended'>).data;
    return { type, ...data };
  });
}

/** Ends a job as the sync-worker would, so that the connector's next one can run. */
export async function endJob({ fixture }: Harness, job: string, status = 'completed'): Promise<void> {
  await fixture.rows('update sync_jobs set status = $2, completed_at = now() where id = $1', [job, status]);
}

/** Returns the examples of each reason for a quarantine, as operators see them. */
export async function examplesOf({ database, tenant }: Harness, job: string): Promise<string[][]> {
  const page = { limit: 1, offset: 0 };
  return database.transaction(tenant, async (tx) => (await findJobPlan(tx, job, page)).examples);
}
