import type { OperatorPolicy, OperatorRole } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

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
