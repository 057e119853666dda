import type { TenantQuotas } from '@idsync/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Limits of a tenant. */
@Entity('tenant_quotas')
export class TenantQuotaEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('jsonb')
  quotas!: TenantQuotas;

  @Column('timestamptz')
  updatedAt!: Date;
}
