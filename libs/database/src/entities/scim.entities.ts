import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

export type ScimKind = 'User' | 'Group';

/** A pushed resource as stored: without its id, its members and fields that idsync adds. */
export type ScimDocument = Record<string, unknown>;

/** A pushed user or group. A deleted one has a tombstone, whose document has at most hashes of the person. */
@Entity('scim_resources')
export class ScimResourceEntity extends TenantOwned {
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
