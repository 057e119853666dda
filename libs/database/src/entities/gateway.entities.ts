import type { ConnectorType, PayloadForm, RecordKind, Safeguard, Schedule, WebhookFilter } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

@Entity('api_keys')
export class ApiKeyEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('bytea', { select: false })
  secretHash!: Buffer;

  @Column('text', { array: true })
  scopes!: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  /** The connector that the key may push to; such a key grants no other access. */
  @Column('uuid', { nullable: true })
  connectorId!: string | null;

  /** Addresses and CIDR ranges from which the key may be used; null: any. */
  @Column('text', { array: true, nullable: true })
  allowedNetworks!: string[] | null;
}

@Entity('connectors')
export class ConnectorEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: ConnectorType;

  @Column('text')
  name!: string;

  @Column('integer')
  priority!: number;

  @Column('text')
  records!: RecordKind;

  @Column('jsonb')
  config!: Record<string, unknown>;

  @Column('jsonb', { default: {} })
  safeguard!: Safeguard;

  @Column('integer', { default: 1 })
  configVersion!: number;

  @Column('jsonb', { nullable: true })
  schedule!: Schedule | null;

  /** The schedule that the next run was planned with. */
  @Column('jsonb', { nullable: true })
  plannedSchedule!: Schedule | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}

@Entity('webhooks')
export class WebhookEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  callbackUrl!: string;

  @Column('text', { array: true })
  events!: string[];

  @Column('boolean', { default: true })
  active!: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  /** When a client deactivated the webhook; null while it is active or if the service disabled it. */
  @Column('timestamptz', { nullable: true })
  deactivatedAt!: Date | null;

  /** The API key of the client. */
  @Column('uuid', { nullable: true })
  deactivatedBy!: string | null;

  /** Condition on the body of events. */
  @Column('jsonb', { nullable: true })
  filter!: WebhookFilter | null;

  @Column('text', { default: 'full' })
  payload!: PayloadForm;

  /** Names of its additional headers, whose values are encrypted. */
  @Column('text', { array: true, default: '{}' })
  headerNames!: string[];

  /** When a client last requested a test event. */
  @Column('timestamptz', { nullable: true })
  testedAt!: Date | null;
}

@Entity('webhook_secrets')
export class WebhookSecretEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  webhookId!: string;

  @Column('bytea')
  ciphertext!: Buffer;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;
}

/** The values of a webhook's additional headers. */
@Entity('webhook_headers')
export class WebhookHeadersEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  webhookId!: string;

  @Column('bytea')
  ciphertext!: Buffer;
}

/** A key pair that signs beside the secrets of a webhook. */
@Entity('webhook_signing_keys')
export class WebhookSigningKeyEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  webhookId!: string;

  @Column('text')
  publicKey!: string;

  /** The private key, encrypted. */
  @Column('bytea')
  ciphertext!: Buffer;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;
}
