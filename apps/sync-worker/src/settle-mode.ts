import { type CheckpointExpired, type Connector, SourceError } from '@idsync/connectors';
import {
  findConnectorState,
  findJobSource,
  type Lease,
  lockLeasedJob,
  type SyncJob,
  saveReadingMode,
} from '@idsync/database';
import { chooseMode } from './choose-mode.js';
import { Interrupted } from './run-control.js';
import type { SyncContext } from './sync-context.js';

export const connectorDeleted = 'connector was deleted';

/** A job's source, opened, and how the job reads it. */
export interface Reading {
  connector: Connector;
  configVersion: number;
  job: Pick<SyncJob, 'since' | 'cursor'>;
}

/** Opens the source of a leased job. Whoever is the first to do so settles how it is read, for all that take the job over. */
export async function openReading(
  { database, openConnector }: SyncContext,
  lease: Lease,
  connectorId: string,
): Promise<Reading> {
  return database.transaction(lease.tenantId, async (tx) => {
    const job = await lockLeasedJob(tx, lease);
    if (!job) throw new Interrupted('lease lost');
    const source = await findJobSource(tx, connectorId);
    if (!source) throw new SourceError(connectorDeleted);
    const connector = openConnector(source);
    const { configVersion, fullEvery } = source;
    if (job.configVersion !== null) return { connector, configVersion: job.configVersion, job };
    const state = await findConnectorState(tx, connectorId);
    if (job.mode === 'record') throw new Error('a job of one record reads no pages');
    const { tellsChanges = false, missesNothing } = connector;
    const chosen = chooseMode(job.mode, { tellsChanges, missesNothing, configVersion, state, fullEvery });
    await saveReadingMode(tx, lease, chosen, { configVersion, anew: false });
    return { connector, configVersion, job: { since: chosen.since ?? null, cursor: job.cursor } };
  });
}

/** The source does not know the checkpoint any more: the same job reads everything, from the beginning. */
export async function readInFull(
  { database }: SyncContext,
  lease: Lease,
  reading: Reading,
  expired: CheckpointExpired,
): Promise<Reading> {
  const whyFull = `everything was read: ${expired.message}`;
  await database.transaction(lease.tenantId, async (tx) => {
    if (!(await lockLeasedJob(tx, lease))) throw new Interrupted('lease lost');
    const { configVersion } = reading;
    await saveReadingMode(tx, lease, { mode: 'full', whyFull }, { configVersion, anew: true });
  });
  return { ...reading, job: { since: null, cursor: null } };
}
