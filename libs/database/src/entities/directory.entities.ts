import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Index('identities_listed', ['tenantId', 'createdAt', 'id'], { where: "status <> 'deleted'" })
@Index('identities_by_status', ['tenantId', 'status', 'createdAt', 'id'])
@Index('identities_changed', ['tenantId', 'updatedAt'])
@Index('identities_purge', ['tenantId', 'purgeAt'], { where: 'purge_at is not null' })
@Check('identities_status_check', "status in ('pending', 'active', 'suspended', 'inactive', 'deleted')")
@Entity('identities')
export class IdentityEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'identities_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'text', name: 'display_name', nullable: true })
  displayName!: string | null;

  @Column({ type: 'text' })
  status!: string;

  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at' })
  updatedAt!: Date;

  @Column({ type: 'text' })
  document!: string;

  @Column({ type: 'timestamptz', name: 'purge_at', nullable: true })
  purgeAt!: Date | null;
}

@Index('source_records_anchor', ['connectorId', 'externalId'], { unique: true })
@Index('source_records_identity', ['identityId'])
@Index('source_records_users', ['tenantId', 'createdAt', 'id'], { where: "kind = 'user' and status <> 'deleted'" })
@Index('source_records_users_by_status', ['tenantId', 'status', 'createdAt', 'id'], { where: "kind = 'user'" })
@Index('source_records_users_changed', ['tenantId', 'updatedAt'], { where: "kind = 'user'" })
@Index('source_records_others', ['tenantId', 'id'], { where: "kind <> 'user'" })
@Index('source_records_due', ['tenantId', 'dueAt'], { where: 'due_at is not null' })
@Index('source_records_living', ['connectorId', 'id'], { where: "status not in ('deleted', 'decommissioned')" })
@Check('source_records_kind_check', "kind in ('user', 'account', 'machine_identity')")
@Entity('source_records')
export class SourceRecordEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'source_records_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'text', name: 'external_id' })
  externalId!: string;

  @Column({ type: 'uuid', name: 'identity_id', nullable: true })
  identityId!: string | null;

  @Column({ type: 'text' })
  status!: string;

  @Column({ type: 'bytea', name: 'content_hash' })
  contentHash!: Buffer;

  @Column({ type: 'jsonb' })
  fields!: unknown;

  @Column({ type: 'jsonb', name: 'changed_at' })
  changedAt!: unknown;

  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at' })
  updatedAt!: Date;

  @Column({ type: 'text' })
  document!: string;

  @Column({ type: 'uuid', name: 'last_job_id' })
  lastJobId!: string;

  @Column({ type: 'integer', name: 'last_seq' })
  lastSeq!: number;

  @Column({ type: 'uuid', name: 'linked_by', nullable: true })
  linkedBy!: string | null;

  @Column({ type: 'boolean', default: false })
  decided!: boolean;

  @Column({ type: 'timestamptz', name: 'status_since' })
  statusSince!: Date;

  @Column({ type: 'timestamptz', name: 'due_at', nullable: true })
  dueAt!: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  previous!: unknown;

  @Column({ type: 'jsonb', nullable: true })
  machine!: unknown;
}

@Index('machine_references_value', ['tenantId', 'value'], { where: 'value is not null' })
@Index('machine_references_identity', ['identityId'], { where: 'identity_id is not null' })
@Check('machine_references_role_check', "role in ('owned_by', 'manager_id', 'technical_inheritor')")
@Entity('machine_references')
export class MachineReferenceEntity {
  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'record_id', primaryKeyConstraintName: 'machine_references_pkey' })
  recordId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'machine_references_pkey' })
  role!: string;

  @Column({ type: 'text', nullable: true })
  value!: string | null;

  @Column({ type: 'uuid', name: 'identity_id', nullable: true })
  identityId!: string | null;
}

@Check('correlation_keys_shared_check', "shared in ('contested', 'common')")
@Entity('correlation_keys')
export class CorrelationKeyEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'correlation_keys_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'correlation_keys_pkey' })
  kind!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'correlation_keys_pkey' })
  value!: string;

  @Column({ type: 'uuid', name: 'identity_id', nullable: true })
  identityId!: string | null;

  @Column({ type: 'text', nullable: true })
  shared!: string | null;
}

@Index('contested_keys_record', ['recordId'])
@Entity('contested_keys')
export class ContestedKeyEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'contested_keys_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contested_keys_pkey' })
  kind!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contested_keys_pkey' })
  value!: string;

  @PrimaryColumn({ type: 'uuid', name: 'record_id', primaryKeyConstraintName: 'contested_keys_pkey' })
  recordId!: string;
}

@Index('identity_redirects_into', ['intoId'])
@Entity('identity_redirects')
export class IdentityRedirectEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'identity_redirects_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'into_id' })
  intoId!: string;

  @Column({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'merged_at' })
  mergedAt!: Date;
}

@Index('waiting_records_record', ['recordId'])
@Entity('waiting_records')
export class WaitingRecordEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'waiting_records_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'waiting_records_pkey' })
  kind!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'waiting_records_pkey' })
  value!: string;

  @PrimaryColumn({ type: 'uuid', name: 'record_id', primaryKeyConstraintName: 'waiting_records_pkey' })
  recordId!: string;
}

@Entity('directory_counters')
export class DirectoryCounterEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'directory_counters_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'directory_counters_pkey' })
  resource!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'directory_counters_pkey' })
  status!: string;

  @Column({ type: 'bigint' })
  count!: number;
}

@Entity('list_positions')
export class ListPositionEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'list_positions_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'list_positions_pkey' })
  resource!: string;

  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'list_positions_pkey' })
  level!: number;

  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'list_positions_pkey' })
  bucket!: number;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'list_positions_pkey' })
  status!: string;

  @Column({ type: 'bigint' })
  count!: number;
}
