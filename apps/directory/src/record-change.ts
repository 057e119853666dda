import type { StoredRecord } from '@idsync/database/directory';

/** A record to store, with the row that it replaces; without `before` the record is new. */
export interface RecordChange {
  record: StoredRecord;
  before?: StoredRecord;
  /** Deletes the record. */
  removed?: true;
  /** Keeps the record at its given identity, even if all other records leave it. */
  placed?: true;
}
