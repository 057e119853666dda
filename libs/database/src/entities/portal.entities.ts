import type { PortalAccess } from '@idsync/contracts';
import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { DeletedWithTenant } from './tenant.entities.js';

/** A link to the subscriber portal. A revoked one is deleted. */
@Check('portal_links_access_check', "access in ('read', 'send', 'change')")
@Index('portal_links_tenant', ['tenantId', 'expiresAt'])
@Index('portal_links_expiry', ['expiresAt', 'id'])
@Entity('portal_links')
export class PortalLinkEntity extends DeletedWithTenant {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('bytea')
  secretHash!: Buffer;

  @Column('uuid', { array: true })
  webhookIds!: string[];

  @Column('text')
  access!: PortalAccess;

  /** Shows the bodies of deliveries. */
  @Column('boolean')
  bodies!: boolean;

  /** The API key that the link ends with; null if an operator has issued it. */
  @Column('uuid', { nullable: true })
  issuedBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
