import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { DeletedWithTenant } from './tenant.entities.js';

export type ScimKind = 'User' | 'Group';

/** A pushed resource as stored: without its id, its members and fields that idsync adds. */
export type ScimDocument = Record<string, unknown>;

/** Position of the latest push to a connector. */
@Entity('scim_positions')
export class ScimPositionEntity extends DeletedWithTenant {
  @PrimaryColumn('uuid')
  connectorId!: string;

  @Column('bigint', { default: 0 })
  last!: number;

  /** Tombstones up to this position are deleted. */
  @Column('bigint', { default: 0 })
  forgotten!: number;

  /** Number of users and of groups that exist. */
  @Column('bigint', { default: 0 })
  users!: number;

  @Column('bigint', { default: 0 })
  groups!: number;

  /** When the connector was deleted; its pushed resources are deleted in batches. */
  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}

/** A pushed user or group. A deleted one has a tombstone, whose document has at most hashes of the person. */
@Check('scim_resources_kind_check', "kind in ('User', 'Group')")
@Index('scim_resources_user_name', ['nameKey'], { unique: true, where: "kind = 'User' and deleted_at is null" })
@Index('scim_resources_group_name', ['nameKey', 'id'], { where: "kind = 'Group' and deleted_at is null" })
@Index('scim_resources_external', ['externalKey', 'id'], { where: 'deleted_at is null' })
@Index('scim_resources_position', ['connectorId', 'position', 'id'], { where: 'position is not null' })
@Index('scim_resources_tombstones', ['deletedAt', 'id'], { where: 'deleted_at is not null' })
@Index('scim_resources_former', ['formerKey', 'position'], { where: 'former_key is not null' })
@Entity('scim_resources')
export class ScimResourceEntity extends DeletedWithTenant {
  @PrimaryColumn('uuid')
  connectorId!: string;

  @PrimaryColumn('text')
  kind!: ScimKind;

  @PrimaryColumn('uuid')
  id!: string;

  /** Connector, kind, and the userName of a user or displayName of a group in lower case. */
  @Column('text')
  nameKey!: string;

  /** Connector, kind, and the externalId of the identity provider. */
  @Column('text', { nullable: true })
  externalKey!: string | null;

  /** Hash of the external key of a deleted user, or of its name key if it had none. */
  @Column('text', { nullable: true })
  formerKey!: string | null;

  @Column('jsonb')
  document!: ScimDocument;

  @Column('integer', { default: 1 })
  version!: number;

  /** Position of the push that changed the user last. Groups have none, since they are read with their members. */
  @Column('bigint', { nullable: true })
  position!: number | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}

/** Membership of a user or group in a group. */
@Index('scim_members_member', ['memberId', 'groupId'])
@Entity('scim_members')
export class ScimMemberEntity extends DeletedWithTenant {
  @PrimaryColumn('uuid')
  groupId!: string;

  @PrimaryColumn('uuid')
  memberId!: string;
}
