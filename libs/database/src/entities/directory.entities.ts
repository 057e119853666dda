import type { CountedFactor, MachineReference, RecordKind } from '@idsync/contracts';
import {
  boolean,
  bytea,
  entity,
  integer,
  jsonb,
  ofTenant,
  type RowOf,
  smallint,
  text,
  timestamptz,
  uuid,
} from './entity.js';

/** Derived state of a machine identity. */
export interface MachineState {
  /**
   * Identity ids of the people that were found, as the API shows them; the owner is the person who is currently
   * responsible.
   */
  people: Partial<Record<MachineReference, string>>;
  /** True while the technical inheritor replaces an owner who left. */
  handedOver: boolean;
  risk: { score: number; factors: CountedFactor[] };
}

/** Why a user or account belongs to its identity. */
export interface LinkEvidence {
  /**
   * `first`: there was no other record to compare it with. `keys`: an equal match key. `fuzzy`: a fuzzy rule.
   * `operator`: an operation.
   */
  kind: 'first' | 'keys' | 'fuzzy' | 'operator';
  /** The identity of the link. */
  identity_id: string;
  /** Time of the link, ISO 8601. */
  at: string;
  job_id?: string;
  operation_id?: string;
  /** The review case that the operation resolved. */
  case_id?: string;
  /** The record of the identity that it was compared with; absent if that record no longer exists. */
  record_id?: string;
  /** The match key, or the name of the fuzzy rule. */
  rule?: string;
  /** Of a fuzzy rule, 0 to 1. */
  score?: number;
  /** Values at the time of the link: its own and the other record's. */
  values?: { field: string; value?: string; other?: string }[];
}

/** State of a record before a job changed it. */
export interface EarlierState {
  fields: Record<string, string[]>;
  status: string;
  changedAt: Record<string, string>;
  contentHash: string;
  /** Only if the job gave the record another external id. */
  externalId?: string;
  /** The job that had made this state, and its batch. */
  lastJobId: string;
  lastSeq: number;
}

/** The data of one source about a person, account or machine identity. */
export const SourceRecordEntity = entity('source_records', {
  ...ofTenant,
  id: uuid({ primary: true }),
  kind: text<RecordKind>(),
  connectorId: uuid(),
  externalId: text(),
  /** Null if not matched to an identity yet. */
  identityId: uuid({ nullable: true }),
  status: text(),
  contentHash: bytea(),
  /** Values by field; fields that the source left empty are absent. */
  fields: jsonb<Record<string, string[]>>(),
  /** When a field last changed, ISO 8601; a field that is absent here is unchanged since the record was created. */
  changedAt: jsonb<Record<string, string>>(),
  createdAt: timestamptz(),
  updatedAt: timestamptz(),
  /** The public document as JSON text. */
  document: text(),
  lastJobId: uuid(),
  lastSeq: integer(),
  /** The job or operation that linked it to its identity. */
  linkedBy: uuid({ nullable: true }),
  /** Its identity before the job `linkedBy` moved it; counts until that job ends. */
  keptIdentityId: uuid({ nullable: true }),
  /** True if manually linked. */
  decided: boolean({ default: false }),
  statusSince: timestamptz(),
  /** When the status changes without a new source value. */
  dueAt: timestamptz({ nullable: true }),
  /**
   * State before the job that changed it last, and the state before that, for a run that takes its change back; null if
   * that job created it.
   */
  previous: jsonb<EarlierState & { previous?: EarlierState }>({ nullable: true }),
  /** Of a machine identity; null until the directory has processed it. */
  machine: jsonb<MachineState>({ nullable: true }),
  /** Why it belongs to its identity; null for machine identities and records without an identity. */
  evidence: jsonb<LinkEvidence>({ nullable: true }),
  /** Estimated size in memory. */
  weight: integer({ default: 0 }),
  /** Rows of `search_terms` as lines. */
  searchTerms: text({ default: '' }),
  /** Rows of `list_terms` as lines; null if there are none. */
  listTerms: text({ nullable: true }),
  /** Users only: the identity that `manager_id` refers to, if it is known. */
  managerId: uuid({ nullable: true }),
  /** The derivation by which it was written. */
  derivedBy: smallint({ default: 1 }),
});
export type SourceRecordEntity = RowOf<typeof SourceRecordEntity>;
