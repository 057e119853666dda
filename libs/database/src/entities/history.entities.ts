import type { LifecyclePolicy } from '@idsync/contracts';
import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

@Index('identity_versions_found', ['identityId', 'validUntil', 'id'])
@Entity('identity_versions')
export class IdentityVersionEntity extends TenantOwned {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('uuid')
  identityId!: string;

  @Column('timestamptz')
  validUntil!: Date;

  /** Empty if `intoId` is set. */
  @Column('text')
  document!: string;

  /** The identity to which the id led until then, if it was merged. */
  @Column('uuid', { nullable: true })
  intoId!: string | null;
}

@Index('record_versions_found', ['recordId', 'validUntil', 'id'])
@Entity('record_versions')
export class RecordVersionEntity extends TenantOwned {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('uuid')
  recordId!: string;

  @Column('timestamptz')
  validUntil!: Date;

  @Column('text')
  document!: string;
}

@Entity('lifecycle_policies')
export class LifecyclePolicyEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  /** Ids of connectors are bare uuids. */
  @Column('jsonb')
  policy!: LifecyclePolicy;

  @Column('timestamptz')
  updatedAt!: Date;
}

@Entity('attribute_priorities')
export class AttributePriorityEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  /** A public attribute name, or `*` for all attributes that have no priority set. */
  @PrimaryColumn('text')
  field!: string;

  @PrimaryColumn('uuid')
  connectorId!: string;

  @Column('integer')
  priority!: number;
}
