import type { LifecyclePolicy } from '@idsync/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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
