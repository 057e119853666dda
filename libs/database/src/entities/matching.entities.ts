import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { TenantEntity } from './gateway.entities.js';

@Entity('matching_rules')
export class MatchingRulesEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'matching_rules_pkey' })
  tenantId!: string;

  @Column({ type: 'jsonb' })
  rules!: unknown;

  @Column({ type: 'timestamptz', name: 'updated_at' })
  updatedAt!: Date;
}

@Index('weak_keys_record', ['recordId'])
@Entity('weak_keys')
export class WeakKeyEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'weak_keys_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'weak_keys_pkey' })
  value!: string;

  @PrimaryColumn({ type: 'uuid', name: 'record_id', primaryKeyConstraintName: 'weak_keys_pkey' })
  recordId!: string;
}

@Entity('match_queue')
export class MatchQueueEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'match_queue_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'record_id', primaryKeyConstraintName: 'match_queue_pkey' })
  recordId!: string;
}

@Index('review_cases_open', ['recordId'], { unique: true, where: "status = 'open'" })
@Index('review_cases_listed', ['tenantId', 'status', 'id'])
@Index('review_cases_record', ['recordId', 'id'])
@Check('review_cases_kind_check', "kind in ('contested', 'weak')")
@Check('review_cases_status_check', "status in ('open', 'linked', 'new', 'ignored', 'settled')")
@Entity('review_cases')
export class ReviewCaseEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'review_cases_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'record_id' })
  recordId!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'text', default: 'open' })
  status!: string;

  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'jsonb' })
  candidates!: unknown;

  @Column({ type: 'timestamptz', name: 'opened_at' })
  openedAt!: Date;

  @Column({ type: 'timestamptz', name: 'closed_at', nullable: true })
  closedAt!: Date | null;

  @Column({ type: 'uuid', name: 'operation_id', nullable: true })
  operationId!: string | null;
}

@Index('operations_tenant', ['tenantId', 'id'])
@Index('operations_queued', ['tenantId', 'announcedAt'], { where: "status = 'queued'" })
@Check('operations_status_check', "status in ('queued', 'done', 'refused')")
@Entity('operations')
export class OperationEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'operations_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'operations_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'jsonb' })
  input!: unknown;

  @Column({ type: 'text', default: 'queued' })
  status!: string;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  result!: unknown;

  @Column({ type: 'jsonb', nullable: true })
  undo!: unknown;

  @Column({ type: 'uuid', name: 'reverted_by', nullable: true })
  revertedBy!: string | null;

  @Column({ type: 'timestamptz', name: 'announced_at', default: () => 'now()' })
  announcedAt!: Date;
}
