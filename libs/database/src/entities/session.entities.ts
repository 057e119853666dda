import type { OperatorRole } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** How an operator signed in. */
export type SessionKind = 'admin_token' | 'service_token' | 'oidc';

/** A session of an operator in a browser. Its tenant is the installation. */
@Entity('operator_sessions')
export class OperatorSessionEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  kind!: SessionKind;

  /** The token that the session began with. Its name, role and tenants are those of the session. */
  @Column('uuid', { nullable: true })
  serviceTokenId!: string | null;

  /** Issuer, subject and session (`sid`) of the identity provider. */
  @Column('text', { nullable: true })
  issuer!: string | null;

  @Column('text', { nullable: true })
  subject!: string | null;

  @Column('text', { nullable: true })
  providerSession!: string | null;

  /** Name, role and tenants are set for OIDC only. */
  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text', { nullable: true })
  role!: OperatorRole | null;

  /** Null: all tenants. */
  @Column('uuid', { array: true, nullable: true })
  tenantIds!: string[] | null;

  /** Keyed hash of the settings that allowed the session, by the secret in the cookie. */
  @Column('bytea')
  secretHash!: Buffer;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  lastUsedAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
