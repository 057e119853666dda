import { type CheckpointExpired, type Connector, SourceError } from '@idsync/connectors';
import type { Transaction } from '@idsync/database';
import {
  findConnectorState,
  findJobSource,
  findNextRun,
  type JobSource,
  type Lease,
  type SyncJob,
  saveReadingMode,
} from '@idsync/database/sync';
import { chooseMode } from './choose-mode.js';
import { withLeasedJob } from './run-control.js';
import type { SyncContext } from './sync-context.js';

/** Returns the source of a connector. Throws SourceError if the connector was deleted. */
export async function requireSource(tx: Transaction, connectorId: string): Promise<JobSource> {
  const source = await findJobSource(tx, connectorId);
  if (!source) throw new SourceError('connector was deleted', 'misconfigured');
  return source;
}

/** Opened source of a job, with the position to read from. */
export interface Reading {
  connector: Connector;
  configVersion: number;
  job: Pick<SyncJob, 'since' | 'cursor' | 'dryRun'>;
}

/** Opens the source of a leased job. The first run chooses the mode, which all later runs of the job use. */
export async function openReading(context: SyncContext, lease: Lease, connectorId: string): Promise<Reading> {
  return withLeasedJob(context, lease, async (tx, job) => {
    const source = await requireSource(tx, connectorId);
    const connector = context.openConnector(source);
    const { configVersion, fullEvery, fullEveryHours } = source;
    if (job.configVersion !== null) {
      // The pages of one run must not use different mappings.
      if (job.cursor !== null && job.configVersion !== configVersion) {
        throw new SourceError('the connector was changed during the run: start another run', 'changed');
      }
      return { connector, configVersion: job.configVersion, job };
    }
    const state = await findConnectorState(tx, connectorId);
    if (job.mode === 'record') throw new Error('a job of one record reads no pages');
    const { reportsChanges = false, reportsEveryChange } = connector;
    const chosen = chooseMode(job.mode, {
      reportsChanges,
      reportsEveryChange,
      configVersion,
      state,
      fullEvery,
      fullEveryHours,
      nextRunAt: await findNextRun(tx, job.id),
    });
    await saveReadingMode(tx, lease, chosen, { configVersion, restart: false });
    return { connector, configVersion, job: { since: chosen.since ?? null, cursor: job.cursor, dryRun: job.dryRun } };
  });
}

/** Restarts the job as a full run, because the source no longer accepts the checkpoint. */
export async function readInFull(
  context: SyncContext,
  lease: Lease,
  reading: Reading,
  expired: CheckpointExpired,
): Promise<Reading> {
  const whyFull = `everything was read: ${expired.message}`;
  const { configVersion } = reading;
  await withLeasedJob(context, lease, (tx) =>
    saveReadingMode(tx, lease, { mode: 'full', whyFull }, { configVersion, restart: true }),
  );
  return { ...reading, job: { ...reading.job, since: null, cursor: null } };
}
