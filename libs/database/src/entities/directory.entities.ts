import type { CountedFactor, MachineReference, RecordKind } from '@idsync/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { TenantEntity, TenantOwned } from './tenant.entities.js';

@Index('identities_listed', ['tenantId', 'createdAt', 'id'], { where: "status <> 'deleted'" })
@Index('identities_by_status', ['tenantId', 'status', 'createdAt', 'id'])
@Index('identities_changes', ['tenantId', 'updatedAt', 'createdAt', 'id', 'status'])
@Index('identities_purge', ['tenantId', 'purgeAt'], { where: 'purge_at is not null' })
@Check('identities_status_check', "status in ('pending', 'active', 'suspended', 'inactive', 'deleted')")
@Entity('identities')
export class IdentityEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { nullable: true })
  displayName!: string | null;

  @Column('text')
  status!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;

  @Column('text')
  document!: string;

  @Column('timestamptz', { nullable: true })
  purgeAt!: Date | null;
}

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

@Index('source_records_anchor', ['connectorId', 'externalId'], { unique: true })
@Index('source_records_identity', ['identityId'])
@Index('source_records_users', ['tenantId', 'createdAt', 'id'], { where: "kind = 'user' and status <> 'deleted'" })
@Index('source_records_users_by_status', ['tenantId', 'status', 'createdAt', 'id'], { where: "kind = 'user'" })
@Index('source_records_users_changed', ['tenantId', 'updatedAt'], { where: "kind = 'user'" })
@Index('source_records_users_changes', ['tenantId', 'updatedAt', 'createdAt', 'id', 'status'], {
  where: "kind = 'user'",
})
@Index('source_records_others', ['tenantId', 'id'], { where: "kind <> 'user'" })
@Index('source_records_accounts', ['tenantId', 'createdAt', 'id', 'status', 'updatedAt'], {
  where: "kind = 'account'",
})
@Index('source_records_unmatched', ['tenantId', 'createdAt', 'id', 'status', 'updatedAt'], {
  where: "kind = 'account' and identity_id is null",
})
@Index('source_records_machines', ['tenantId', 'createdAt', 'id', 'status', 'updatedAt'], {
  where: "kind = 'machine_identity'",
})
@Index('source_records_of_source', ['tenantId', 'kind', 'connectorId', 'createdAt', 'id', 'status'], {
  where: "kind <> 'user'",
})
// TypeORM cannot describe an index of an expression.
@Index('source_records_by_risk', { synchronize: false })
@Index('source_records_due', ['tenantId', 'dueAt'], { where: 'due_at is not null' })
@Index('source_records_manager', ['managerId'], { where: 'manager_id is not null' })
@Index('source_records_kept', ['keptIdentityId'], { where: 'kept_identity_id is not null' })
@Index('source_records_source', ['connectorId', 'createdAt', 'id'])
@Index('source_records_living', ['connectorId', 'id'], { where: "status not in ('deleted', 'decommissioned')" })
@Check('source_records_kind_check', "kind in ('user', 'account', 'machine_identity')")
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

/** A folded value by which a record is found. */
@Entity('search_terms')
export class SearchTermEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  term!: string;

  @PrimaryColumn('uuid')
  recordId!: string;
}

/** A folded value that many records may share, in creation order of the records. */
@Entity('list_terms')
export class ListTermEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  term!: string;

  @PrimaryColumn('timestamptz')
  createdAt!: Date;

  @PrimaryColumn('uuid')
  recordId!: string;
}

@Index('machine_references_value', ['tenantId', 'value'], { where: 'value is not null' })
@Index('machine_references_identity', ['identityId'], { where: 'identity_id is not null' })
@Check('machine_references_role_check', "role in ('owned_by', 'manager_id', 'technical_inheritor')")
@Entity('machine_references')
export class MachineReferenceEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  recordId!: string;

  @PrimaryColumn('text')
  role!: string;

  @Column('text', { nullable: true })
  value!: string | null;

  @Column('uuid', { nullable: true })
  identityId!: string | null;
}

/** Texts by which a user or a machine identity referred to a person earlier. */
@Index('former_references_record', ['recordId'])
@Entity('former_references')
export class FormerReferenceEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  identityId!: string;

  @PrimaryColumn('uuid')
  recordId!: string;

  @Column('text', { array: true })
  texts!: string[];
}

@Check('correlation_keys_shared_check', "shared in ('contested', 'common')")
@Entity('correlation_keys')
export class CorrelationKeyEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text')
  kind!: string;

  @PrimaryColumn('text')
  value!: string;

  @Column('uuid', { nullable: true })
  identityId!: string | null;

  @Column('text', { nullable: true })
  shared!: string | null;
}

@Index('contested_keys_record', ['recordId'])
@Entity('contested_keys')
export class ContestedKeyEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text')
  kind!: string;

  @PrimaryColumn('text')
  value!: string;

  @PrimaryColumn('uuid')
  recordId!: string;
}

@Index('identity_redirects_into', ['intoId'])
@Entity('identity_redirects')
export class IdentityRedirectEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  intoId!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  mergedAt!: Date;
}

@Index('waiting_records_record', ['recordId'])
@Entity('waiting_records')
export class WaitingRecordEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text')
  kind!: string;

  @PrimaryColumn('text')
  value!: string;

  @PrimaryColumn('uuid')
  recordId!: string;
}

@Entity('directory_counters')
export class DirectoryCounterEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text')
  resource!: string;

  @PrimaryColumn('text')
  status!: string;

  @Column('bigint')
  count!: number;
}

@Entity('list_positions')
export class ListPositionEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('text')
  resource!: string;

  @PrimaryColumn('smallint')
  level!: number;

  @PrimaryColumn('bigint')
  bucket!: number;

  @PrimaryColumn('text')
  status!: string;

  @Column('bigint')
  count!: number;
}

/** The version of a tenant's documents, and the progress of rendering them again. */
@Entity('document_renderings')
export class DocumentRenderingEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  tenant?: Relation<TenantEntity>;

  @Column('integer')
  version!: number;

  @Column('timestamptz')
  beginAt!: Date;

  @Column('text', { default: 'user' })
  kind!: string;

  @Column('uuid', { nullable: true })
  afterId!: string | null;

  @Column('timestamptz', { nullable: true })
  completedAt!: Date | null;

  /** Records when the rendering was scheduled. */
  @Column('bigint')
  total!: number;

  /** Records that were rendered. */
  @Column('bigint', { default: 0 })
  done!: number;
}
