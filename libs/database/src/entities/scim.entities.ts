import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { TenantEntity } from './gateway.entities.js';

/** How far the pushes of a connector have come. */
@Entity('scim_positions')
export class ScimPositionEntity {
  @PrimaryColumn({ type: 'uuid', name: 'connector_id', primaryKeyConstraintName: 'scim_positions_pkey' })
  connectorId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'scim_positions_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @Column({ type: 'bigint', default: 0 })
  last!: string;

  /** Deletions up to here are no longer known. */
  @Column({ type: 'bigint', default: 0 })
  forgotten!: string;

  /** Since then the connector is gone; what was pushed to it is deleted in portions. */
  @Column({ type: 'timestamptz', name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** A user or group as it was pushed; of one that was deleted, only that it was. */
@Check('scim_resources_kind_check', "kind in ('User', 'Group')")
@Index('scim_resources_user_name', ['nameKey'], { unique: true, where: "kind = 'User' and deleted_at is null" })
@Index('scim_resources_group_name', ['nameKey', 'id'], { where: "kind = 'Group' and deleted_at is null" })
@Index('scim_resources_external', ['externalKey', 'id'], { where: 'deleted_at is null' })
@Index('scim_resources_position', ['connectorId', 'position', 'id'], { where: 'position is not null' })
@Index('scim_resources_tombstones', ['deletedAt', 'id'], { where: 'deleted_at is not null' })
@Entity('scim_resources')
export class ScimResourceEntity {
  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'scim_resources_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;

  @PrimaryColumn({ type: 'uuid', name: 'connector_id', primaryKeyConstraintName: 'scim_resources_pkey' })
  connectorId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'scim_resources_pkey' })
  kind!: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'scim_resources_pkey' })
  id!: string;

  /** The connector, the kind, and the userName of a user or the displayName of a group in lower case. */
  @Column({ type: 'text', name: 'name_key' })
  nameKey!: string;

  /** The connector, the kind, and what its provider calls it. */
  @Column({ type: 'text', name: 'external_key', nullable: true })
  externalKey!: string | null;

  @Column({ type: 'jsonb' })
  document!: unknown;

  @Column({ type: 'integer', default: 1 })
  version!: number;

  /** Of the push that changed the user last; groups have none, for they are read with their members. */
  @Column({ type: 'bigint', nullable: true })
  position!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'changed_at', default: () => 'now()' })
  changedAt!: Date;

  @Column({ type: 'timestamptz', name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** A user or group that is in a group. */
@Index('scim_members_member', ['memberId', 'groupId'])
@Entity('scim_members')
export class ScimMemberEntity {
  @PrimaryColumn({ type: 'uuid', name: 'group_id', primaryKeyConstraintName: 'scim_members_pkey' })
  groupId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'member_id', primaryKeyConstraintName: 'scim_members_pkey' })
  memberId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'scim_members_tenant_id_fkey' })
  tenant?: Relation<TenantEntity>;
}
