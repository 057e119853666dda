import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Index('identity_versions_found', ['identityId', 'validUntil', 'id'])
@Entity('identity_versions')
export class IdentityVersionEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'identity_versions_pkey',
  })
  id!: number;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'identity_id' })
  identityId!: string;

  @Column({ type: 'timestamptz', name: 'valid_until' })
  validUntil!: Date;

  @Column({ type: 'text' })
  document!: string;
}

@Entity('attribute_priorities')
export class AttributePriorityEntity {
  @PrimaryColumn({ type: 'uuid', name: 'tenant_id', primaryKeyConstraintName: 'attribute_priorities_pkey' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'attribute_priorities_pkey' })
  field!: string;

  @PrimaryColumn({ type: 'uuid', name: 'connector_id', primaryKeyConstraintName: 'attribute_priorities_pkey' })
  connectorId!: string;

  @Column({ type: 'integer' })
  priority!: number;
}
