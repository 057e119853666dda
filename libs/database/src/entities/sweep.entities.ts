import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';

@Index('seen_records_connector', ['connectorId'])
@Entity('seen_records')
export class SeenRecordsEntity {
  @PrimaryColumn({ type: 'uuid', name: 'job_id', primaryKeyConstraintName: 'seen_records_pkey' })
  jobId!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'seen_records_pkey' })
  seq!: number;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'uuid', name: 'record_ids', array: true })
  recordIds!: string[];
}

@Index('sync_plans_connector', ['connectorId', 'jobId'])
@Index('sync_plans_harm', ['connectorId', 'jobId'], { where: 'deletions > 0 or disables > 0' })
@Check('sync_plans_state_check', "state in ('open', 'held', 'ready', 'done')")
@Entity('sync_plans')
export class SyncPlanEntity {
  @PrimaryColumn({ type: 'uuid', name: 'job_id', primaryKeyConstraintName: 'sync_plans_pkey' })
  jobId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'text', default: 'open' })
  state!: string;

  @Column({ type: 'integer', nullable: true })
  known!: number | null;

  @Column({ type: 'integer', default: 0 })
  deletions!: number;

  @Column({ type: 'integer', default: 0 })
  disables!: number;

  @Column({ type: 'text', nullable: true })
  note!: string | null;
}

@Index('sync_plan_entries_job', ['jobId', 'id'])
@Index('sync_plan_entries_anchor', ['jobId', 'externalId'])
@Index('sync_plan_entries_open', ['jobId', 'id'], { where: 'not done' })
@Check('sync_plan_entries_action_check', "action in ('create', 'update', 'disable', 'delete')")
@Entity('sync_plan_entries')
export class SyncPlanEntryEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'sync_plan_entries_pkey',
  })
  id!: number;

  @Column({ type: 'uuid', name: 'job_id' })
  jobId!: string;

  @ManyToOne(() => SyncPlanEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'job_id', foreignKeyConstraintName: 'sync_plan_entries_job_id_fkey' })
  plan?: Relation<SyncPlanEntity>;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'integer' })
  seq!: number;

  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'uuid', name: 'record_id' })
  recordId!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'text', name: 'external_id' })
  externalId!: string;

  @Column({ type: 'uuid', name: 'identity_id', nullable: true })
  identityId!: string | null;

  @Column({ type: 'jsonb' })
  changes!: unknown;

  @Column({ type: 'text', nullable: true })
  incoming!: string | null;

  @Column({ type: 'timestamptz', name: 'based_on', nullable: true })
  basedOn!: Date | null;

  @Column({ type: 'boolean', default: false })
  done!: boolean;
}
