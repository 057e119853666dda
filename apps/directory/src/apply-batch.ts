import type { Message, SourceRecord } from '@idsync/contracts';
import { type Database, enqueue, findBatch, markReceived, noteSeen } from '@idsync/database';
import { applyChanges } from './apply-changes.js';
import { learnTenant } from './cause.js';
import { findChanges, repeatedRecord } from './read-batch.js';
import { holdBack } from './sweep/hold-back.js';
import { planRemovals } from './sweep/plan-removals.js';
import { rehearse } from './sweep/rehearse.js';

/**
 * Applies one batch in one transaction: records, identities, documents, history, totals and the messages that announce
 * them. A second delivery of the message finds it in the inbox and changes nothing.
 */
export async function applyBatch(
  database: Database,
  message: Message<'sync.batch.ready'>,
  now: Date = new Date(),
): Promise<void> {
  const { tenant_id: tenantId, data } = message;
  await database.transaction(tenantId, async (tx) => {
    if (!(await markReceived(tx, message.id))) return;
    const batch = await findBatch(tx, data.job_id, data.seq);
    // Its job was cancelled, or has long been finished and cleared away.
    if (!batch || batch.jobStatus === 'cancelled') return;

    const tenant = await learnTenant(tx, tenantId, batch.kind === 'machine_identity' ? 'alone' : 'shared');
    const source = {
      jobId: data.job_id,
      seq: data.seq,
      connectorId: batch.connectorId,
      kind: batch.kind,
      now,
    };
    // Written by our own sync-worker, which validated every record.
    const said = JSON.parse(batch.records) as SourceRecord[];
    const records = said.filter(({ removed }) => !removed);
    const found = await findChanges(tx, source, records);
    const { jobId, seq, connectorId } = source;
    // Announced twice, a batch has been applied already: it is only answered again.
    const { knownIds, madeIds } = found;
    // What changed says nothing of the rest: a run that came to read everything after all must list it again.
    const named = batch.mode === 'changes' ? { knownIds: '{}', madeIds: [] } : { knownIds, madeIds };
    const isNew = await noteSeen(tx, tenantId, { jobId, seq, connectorId, ...named });
    const changes = isNew ? found.changes : [];
    const created = changes.filter(({ before }) => !before).length;
    await enqueue(tx, {
      type: 'sync.batch.applied',
      tenantId,
      data: {
        job_id: data.job_id,
        seq: data.seq,
        created,
        updated: changes.length - created,
        unchanged: found.unchanged + found.changes.length - changes.length + said.length - records.length,
        errors: found.repeated.map(repeatedRecord),
      },
    });
    const incoming = new Map(records.map((record) => [record.external_id, record]));
    const job = { id: jobId, connectorId };
    if (batch.mode === 'changes' && isNew) await planRemovals(tx, tenantId, job, seq, said);
    const cause = { ...tenant, jobId, now };
    if (batch.dryRun) await rehearse(tx, cause, job, changes, incoming);
    else await applyChanges(tx, cause, await holdBack(tx, tenantId, job, changes, incoming));
  });
}
