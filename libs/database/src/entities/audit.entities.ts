import type { OperatorPolicy, OperatorRole } from '@idsync/contracts';
import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** The newest entry of each chain. Locked while an entry is appended. */
@Index('audit_heads_to_anchor', ['tenantId'], { where: 'sequence > anchored_sequence' })
@Entity('audit_heads')
export class AuditHeadEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('bigint', { default: 0 })
  sequence!: number;

  @Column('bytea')
  hash!: Buffer;

  @Column('timestamptz')
  at!: Date;

  /** Keyed hash of sequence and hash, which only the head has: an earlier head cannot be made from the entries. */
  @Column('bytea')
  mac!: Buffer;

  @Column('bytea')
  keyId!: Buffer;

  /** The newest entry that the chain of the installation mentions. */
  @Column('bigint', { default: 0 })
  anchoredSequence!: number;
}

/** A key of a chain, encrypted. A gateway that can decrypt none adds another one. */
@Index('audit_keys_chain', ['tenantId', 'createdAt'])
@Entity('audit_keys')
export class AuditKeyEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('bytea')
  ciphertext!: Buffer;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}

/** An entry of the audit log. `entry` is the text that is hashed; the other columns only find it. */
@Index('audit_entries_actor', ['tenantId', 'actor', 'sequence'])
@Index('audit_entries_action', ['tenantId', 'action', 'sequence'])
@Index('audit_entries_resource', ['tenantId', 'resource', 'sequence'], { where: 'resource is not null' })
@Index('audit_entries_request', ['tenantId', 'requestId', 'sequence'], { where: 'request_id is not null' })
@Index('audit_entries_time', ['tenantId', 'at', 'sequence'])
@Index('audit_entries_everywhere', ['at', 'id'])
@Entity('audit_entries')
export class AuditEntryEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('bigint')
  sequence!: number;

  @Column('uuid')
  id!: string;

  @Column('timestamptz')
  at!: Date;

  @Column('text')
  actor!: string;

  @Column('text')
  action!: string;

  @Column('text', { nullable: true })
  resource!: string | null;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('text')
  entry!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('bytea')
  mac!: Buffer;

  @Column('bytea')
  keyId!: Buffer;
}

@Entity('operator_policies')
export class OperatorPolicyEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('jsonb')
  policy!: OperatorPolicy;

  @Column('timestamptz')
  updatedAt!: Date;
}

/** A token of an operator or a program. Its tenant is the installation. */
@Index('service_tokens_listed', ['tenantId', 'createdAt', 'id'])
@Check('service_tokens_role_check', "role in ('viewer', 'operator', 'auditor', 'admin')")
@Entity('service_tokens')
export class ServiceTokenEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  role!: OperatorRole;

  /** Null: all tenants. */
  @Column('uuid', { array: true, nullable: true })
  tenantIds!: string[] | null;

  @Column('bytea', { select: false })
  secretHash!: Buffer;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('text')
  createdBy!: string;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}
