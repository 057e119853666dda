import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

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

/** A row that belongs to a tenant and is visible only to its transactions. */
export abstract class TenantOwned {
  @Column('uuid')
  tenantId!: string;
}
