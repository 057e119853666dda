import type { CountedFactor, MachineReference, RecordKind } from '@idsync/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

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

@Entity('source_records')
export class SourceRecordEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  kind!: RecordKind;

  @Column('uuid')
  connectorId!: string;

  @Column('text')
  externalId!: string;

  @Column('uuid', { nullable: true })
  identityId!: string | null;

  @Column('text')
  status!: string;

  @Column('bytea')
  contentHash!: Buffer;

  @Column('jsonb')
  fields!: Record<string, string[]>;

  @Column('jsonb')
  changedAt!: unknown;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  @Column('text')
  document!: string;

  @Column('uuid')
  lastJobId!: string;

  @Column('integer')
  lastSeq!: number;

  @Column('uuid', { nullable: true })
  linkedBy!: string | null;

  /** Identity before the job `linkedBy` moved it. */
  @Column('uuid', { nullable: true })
  keptIdentityId!: string | null;

  @Column('boolean', { default: false })
  decided!: boolean;

  @Column('timestamptz')
  statusSince!: Date;

  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  @Column('jsonb', { nullable: true })
  previous!: unknown;

  /** Null until the directory has processed it. */
  @Column('jsonb', { nullable: true })
  machine!: MachineState | null;

  /** Null for machine identities and records without an identity. */
  @Column('jsonb', { nullable: true })
  evidence!: LinkEvidence | null;

  /** Estimated size in memory. */
  @Column('integer', { default: 0 })
  weight!: number;

  /** Rows of `search_terms` as lines. */
  @Column('text', { default: '' })
  searchTerms!: string;

  /** Rows of `list_terms` as lines; null if there are none. */
  @Column('text', { nullable: true })
  listTerms!: string | null;

  /** The identity of a user's manager. */
  @Column('uuid', { nullable: true })
  managerId!: string | null;
}
