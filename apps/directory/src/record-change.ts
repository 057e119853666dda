import type { StoredRecord } from '@idsync/database';

/** A record as it is to be stored, beside the row it replaces; without one, it is new. */
export interface RecordChange {
  record: StoredRecord;
  before?: StoredRecord;
  /** The record is taken out of the directory. */
  removed?: true;
  /** An operator says whose it is: it goes there, even if everybody else leaves. */
  placed?: true;
}
