import { recordKinds } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findRecordIds, lockRecordsById, type StoredRecord } from '@idsync/database/directory';

const chunkSize = 1_000;

/** Locks and yields all records of a tenant in chunks: people first, because accounts and machines follow them. */
export async function* everyRecord(tx: Transaction, tenantId: string): AsyncGenerator<StoredRecord[]> {
  for (const kind of recordKinds) {
    for (let after: string | undefined; ; ) {
      const ids = await findRecordIds(tx, tenantId, kind, after, chunkSize);
      if (ids.length === 0) break;
      after = ids.at(-1);
      yield await lockRecordsById(tx, ids);
    }
  }
}
