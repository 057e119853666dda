import { Column, CreateDateColumn, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

@Entity('tenants')
export class TenantEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  /** Null unless the tenant is suspended. */
  @Column('timestamptz', { nullable: true })
  suspendedAt!: Date | null;
}

/** A tenant whose rows are being deleted; the row is deleted with the tenant. */
/** When the directory next has time-based work for a tenant. */
@Entity('due_tenants')
export class DueTenantEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('timestamptz')
  nextAt!: Date;

  /** The tenant's event sequence when its work was last done; a later change makes the tenant due. */
  @Column('bigint', { nullable: true })
  seenLast!: number | null;

  @Column('timestamptz', { nullable: true })
  seenLastAt!: Date | null;

  /** Number of times that work was noted, so that work noted during a pass is not lost. */
  @Column('bigint', { default: 0 })
  notes!: number;
}

@Entity('tenant_deletions')
export class TenantDeletionEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  requestedAt!: Date;

  /** The table that is being emptied; null before the first and after the last. */
  @Column('text', { nullable: true })
  tableName!: string | null;

  /** The first block of the table that has not been read; 0 if the table is emptied by an index. */
  @Column('integer', { default: 0 })
  block!: number;

  /** Rows that this walk over all tables has found. */
  @Column('bigint', { default: 0 })
  found!: number;

  /** Rows deleted so far. */
  @Column('bigint', { default: 0 })
  deleted!: number;
}

/** A row that belongs to a tenant and is visible only to its transactions. */
export abstract class TenantOwned {
  @Column('uuid')
  tenantId!: string;
}

/** A row that is deleted with its tenant. */
export abstract class DeletedWithTenant extends TenantOwned {
  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  tenant?: Relation<TenantEntity>;
}
