import type { Message, SourceRecord } from '@idsync/contracts';
import {
  type Database,
  enqueue,
  findBatch,
  lockRecordsByAnchor,
  markReceived,
  noteSeen,
  saveSeen,
  type Transaction,
} from '@idsync/database';
import { applyChanges } from './apply-changes.js';
import { learnTenant } from './cause.js';
import { asOne, type Divide, inHalves, isFaultOfRecord } from './divide-batch.js';
import type { AppliedBatch } from './metrics.js';
import { findChanges, repeatedRecord } from './read-batch.js';
import { holdBack } from './sweep/hold-back.js';
import { planRemovals } from './sweep/plan-removals.js';
import { rehearse } from './sweep/rehearse.js';
import { tellOvertaken } from './tell-overtaken.js';

/**
 * Applies one batch in one transaction: records, identities, documents, history, totals and the messages that announce
 * them. A second delivery of the message finds it in the inbox and changes nothing. A record that cannot be applied is
 * left out, and told, and keeps no other waiting. Returns what became of its records, if it applied them.
 */
export async function applyBatch(
  database: Database,
  message: Message<'sync.batch.ready'>,
  now: Date = new Date(),
): Promise<AppliedBatch | undefined> {
  try {
    return await database.transaction(message.tenant_id, (tx) => apply(tx, message, now, asOne));
  } catch (error) {
    if (!isFaultOfRecord(error)) throw error;
    return database.transaction(message.tenant_id, (tx) => apply(tx, message, now, inHalves(tx)));
  }
}

async function apply(
  tx: Transaction,
  { id, tenant_id: tenantId, data }: Message<'sync.batch.ready'>,
  now: Date,
  divide: Divide,
): Promise<AppliedBatch | undefined> {
  if (!(await markReceived(tx, id))) return undefined;
  const batch = await findBatch(tx, data.job_id, data.seq);
  // Its job was cancelled, or has long been finished and cleared away.
  if (!batch || batch.jobStatus === 'cancelled') return undefined;

  const tenant = await learnTenant(tx, tenantId, batch.kind === 'machine_identity' ? 'alone' : 'shared');
  const { connectorId, kind } = batch;
  const { job_id: jobId, seq } = data;
  const job = { id: jobId, connectorId };
  const cause = { ...tenant, jobId, now };
  // Written by our own sync-worker, which validated every record.
  const said = JSON.parse(batch.records) as SourceRecord[];
  const records = said.filter(({ removed }) => !removed);
  // Announced twice, a batch has been applied already: it is only answered again.
  const isNew = await noteSeen(tx, tenantId, { jobId, seq, connectorId });
  const isPartial = batch.mode === 'changes' || batch.mode === 'record';
  if (isPartial && isNew) await planRemovals(tx, tenantId, job, seq, said);
  // Also where it changes nothing: what another job is just writing to this record is compared once it is there.
  if (batch.mode === 'record')
    await lockRecordsByAnchor(
      tx,
      connectorId,
      said.map(({ external_id }) => external_id),
    );

  const { parts, leftOut } = await divide(records, async (some) => {
    const found = await findChanges(tx, { jobId, seq, connectorId, kind, now }, some);
    const changes = isNew ? found.changes : [];
    const incoming = new Map(some.map((record) => [record.external_id, record]));
    if (batch.dryRun) await rehearse(tx, cause, job, changes, incoming);
    // The safeguard is for sources that err about many; this one record somebody has named.
    else if (batch.mode === 'record') await applyChanges(tx, cause, changes);
    else await applyChanges(tx, cause, await holdBack(tx, tenantId, job, changes, incoming));
    return { ...found, changes, unchanged: found.unchanged + found.changes.length - changes.length };
  });
  // What changed says nothing of the rest: a run that came to read everything after all must list it again.
  if (!isPartial && isNew) await saveSeen(tx, { jobId, seq }, parts);
  await tellOvertaken(tx, tenantId, jobId, isNew ? parts.flatMap(({ overtaken }) => overtaken) : []);
  const changes = parts.flatMap((part) => part.changes);
  const created = changes.filter(({ before }) => !before).length;
  const updated = changes.length - created;
  const unchanged = parts.reduce((sum, part) => sum + part.unchanged, 0) + said.length - records.length;
  const errors = [...parts.flatMap(({ repeated }) => repeated.map(repeatedRecord)), ...leftOut];
  await enqueue(tx, {
    type: 'sync.batch.applied',
    tenantId,
    data: { job_id: jobId, seq, created, updated, unchanged, errors },
  });
  return { created, updated, unchanged, failed: errors.length };
}
