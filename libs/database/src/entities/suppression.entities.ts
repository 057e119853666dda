import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** The tenant's key of its hashes, encrypted. */
@Entity('suppression_keys')
export class SuppressionKeyEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('bytea')
  ciphertext!: Buffer;
}

/** An erased person whose records are left out when a source lists them again. */
@Entity('suppressions')
export class SuppressionEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  /** The erased identity. */
  @Column('uuid')
  identityId!: string;

  @Column('uuid')
  operationId!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}

@Entity('suppression_hashes')
export class SuppressionHashEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @PrimaryColumn('bytea')
  hash!: Buffer;

  @PrimaryColumn('uuid')
  suppressionId!: string;
}
