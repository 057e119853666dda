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

/** Delivery attempts of a tenant with a limit, in the hour in which the last one began. */
@Entity('delivery_hours')
export class DeliveryHourEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('timestamptz')
  hour!: Date;

  @Column('bigint')
  attempts!: number;
}
