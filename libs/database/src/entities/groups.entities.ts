import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** A group that users of a source have named. Its members are the rows of `list_terms` with its term. */
@Index('groups_listed', ['tenantId', 'createdAt', 'id'])
@Index('groups_source', ['connectorId', 'createdAt', 'id'])
@Entity('groups')
export class GroupEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  connectorId!: string;

  @Column('text')
  name!: string;

  @Column({ type: 'text', collation: 'C' })
  term!: string;

  /** When the first member was stored. */
  @Column('timestamptz')
  createdAt!: Date;
}
