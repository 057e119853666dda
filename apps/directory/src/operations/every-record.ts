import { recordKinds } from '@idsync/contracts';
import { findRecordIds, lockRecordsById, type StoredRecord, type Transaction } from '@idsync/database';

const portion = 1_000;

/** All of a tenant's records, locked, portion by portion: people first, since accounts and machines go where they are. */
export async function* everyRecord(tx: Transaction, tenantId: string): AsyncGenerator<StoredRecord[]> {
  for (const kind of recordKinds) {
    for (let after: string | undefined; ; ) {
      const ids = await findRecordIds(tx, tenantId, kind, after, portion);
      if (ids.length === 0) break;
      after = ids.at(-1);
      yield await lockRecordsById(tx, ids);
    }
  }
}
