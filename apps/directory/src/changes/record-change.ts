import type { LinkEvidence, StoredIdentity, StoredRecord } from '@idsync/database/directory';

type GivenEvidence = Omit<LinkEvidence, 'identity_id' | 'at'> & Partial<Pick<LinkEvidence, 'at'>>;

/** A record to store, with the row that it replaces; without `before` the record is new. */
export interface RecordChange {
  record: StoredRecord;
  before?: StoredRecord;
  /** Earlier external id of a record whose anchor has been moved before this change; its event names it. */
  formerId?: string;
  /** When the user loses access, if that is soon: it counts as a disable. */
  losesAt?: Date;
  /** Deletes the record. */
  removed?: true;
  /** Keeps the record at its given identity, even if all other records leave it. */
  placed?: true;
  /** Evidence of the link that this change makes, if it is not a match key. */
  evidence?: GivenEvidence;
}

export interface IdentityChange {
  identity: StoredIdentity;
  before?: StoredIdentity;
  /** Identity that this one was split from, if any. */
  splitFrom?: string;
}

/** Changed records with their consequences. */
export interface Settled {
  records: RecordChange[];
  identities: IdentityChange[];
  /** Removed identities, with the identity that now has their records. */
  merged: { identity: StoredIdentity; intoId: string }[];
  /** Identities that were removed because they have no records left. */
  ended: StoredIdentity[];
  /** Tombstones of erased identities, with their state before. */
  erased: Required<Pick<IdentityChange, 'identity' | 'before'>>[];
}
