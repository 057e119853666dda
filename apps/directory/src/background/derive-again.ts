import type { Database, Transaction } from '@idsync/database';
import {
  findOlderIdentities,
  findOlderRecords,
  lockRecordsById,
  lockRecordsOfIdentities,
  markDerived,
} from '@idsync/database/directory';
import { runChunk } from '../batch/divide-batch.js';
import { applyChanges } from '../changes/apply-changes.js';
import { type Cause, causedAt, loadTenant } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { renderRecord } from '../render/render-record.js';

/** Rows per transaction. */
const chunkSize = 500;

/**
 * Derives documents, terms and match values again that an older version of this code wrote, until the given time; the next
 * call continues. A change has its events. Returns the number of rows.
 */
export async function deriveAgain(
  database: Database,
  tenantId: string,
  { until, fixedTime }: { until: Date; fixedTime?: Date },
): Promise<number> {
  const time = causedAt(fixedTime);
  let done = 0;
  // Most identities follow from their records, and are no longer older then.
  for (const part of [recordsAgain, identitiesAgain]) {
    for (let more = true; more; ) {
      if (done > 0 && Date.now() >= until.getTime()) return done;
      const taken = await runChunk(database, tenantId, chunkSize, (tx, size) => part(tx, time, size));
      done += taken.count;
      more = taken.more;
    }
  }
  return done;
}

type Part = { count: number; more: boolean };
type Time = Pick<Cause, 'now' | 'fixedTime'>;

async function recordsAgain(tx: Transaction, time: Time, limit: number): Promise<Part> {
  const ids = await findOlderRecords(tx, limit);
  if (ids.length === 0) return { count: 0, more: false };
  const cause: Cause = { ...(await loadTenant(tx)), ...time, rederive: true, rerender: true };
  const changes = (await lockRecordsById(tx, ids)).map((before): RecordChange => {
    const isSame = renderRecord(before, tx.tenantId) === before.document;
    return { before, record: { ...before, updatedAt: isSame ? before.updatedAt : time.now } };
  });
  await applyChanges(tx, cause, changes);
  return { count: ids.length, more: ids.length === limit };
}

async function identitiesAgain(tx: Transaction, time: Time, limit: number): Promise<Part> {
  const ids = await findOlderIdentities(tx, limit);
  if (ids.length === 0) return { count: 0, more: false };
  const cause: Cause = { ...(await loadTenant(tx)), ...time, rerender: true };
  const records = await lockRecordsOfIdentities(tx, ids);
  await applyChanges(
    tx,
    cause,
    records.map((record) => ({ record, before: record })),
  );
  await markDerived(tx, ids);
  return { count: ids.length, more: ids.length === limit };
}
