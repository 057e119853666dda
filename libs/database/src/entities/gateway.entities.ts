import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

@Entity('tenants')
export class TenantEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'tenants_pkey' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}

@Index('api_keys_tenant', ['tenantId', 'createdAt', 'id'])
@Index('api_keys_connector', ['tenantId', 'connectorId', 'createdAt', 'id'], { where: 'connector_id is not null' })
@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'api_keys_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'bytea', name: 'secret_hash' })
  secretHash!: Buffer;

  @Column({ type: 'text', array: true })
  scopes!: string[];

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** The one connector that it pushes to; such a key opens nothing else. */
  @Column({ type: 'uuid', name: 'connector_id', nullable: true })
  connectorId!: string | null;
}

@Index('connectors_name', ['tenantId', 'name'], { unique: true, where: 'deleted_at is null' })
@Index('connectors_tenant', ['tenantId', 'createdAt', 'id'])
@Index('connectors_to_plan', ['id'], { where: 'schedule is distinct from planned_schedule and deleted_at is null' })
@Entity('connectors')
export class ConnectorEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'connectors_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'connectors_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'integer' })
  priority!: number;

  @Column({ type: 'text' })
  records!: string;

  @Column({ type: 'jsonb' })
  config!: unknown;

  @Column({ type: 'jsonb', default: {} })
  safeguard!: unknown;

  @Column({ type: 'integer', name: 'config_version', default: 1 })
  configVersion!: number;

  @Column({ type: 'jsonb', nullable: true })
  schedule!: unknown | null;

  /** The one that the next run was planned by. */
  @Column({ type: 'jsonb', name: 'planned_schedule', nullable: true })
  plannedSchedule!: unknown | null;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

@Index('webhooks_tenant', ['tenantId', 'createdAt', 'id'])
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'webhooks_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'webhooks_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'text', name: 'callback_url' })
  callbackUrl!: string;

  @Column({ type: 'text', array: true })
  events!: string[];

  @Column({ type: 'boolean', default: true })
  active!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

@Index('webhook_secrets_webhook', ['webhookId'])
@Entity('webhook_secrets')
export class WebhookSecretEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'webhook_secrets_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'webhook_id' })
  webhookId!: string;

  @ManyToOne(() => WebhookEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'webhook_secrets_webhook_id_fkey' })
  webhook?: Relation<WebhookEntity>;

  @Column({ type: 'bytea' })
  ciphertext!: Buffer;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}

@Index('idempotency_keys_expiry', ['expiresAt'])
@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'idempotency_keys_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'uuid', name: 'job_id' })
  jobId!: string;

  @Column({ type: 'timestamptz', name: 'expires_at' })
  expiresAt!: Date;
}
