import { Column, CreateDateColumn, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

@Entity('tenants')
export class TenantEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
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
