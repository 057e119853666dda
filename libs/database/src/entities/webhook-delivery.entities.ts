import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Index('webhook_deliveries_once', ['webhookId', 'eventSequence'], { unique: true })
@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'webhook_deliveries_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'webhook_id' })
  webhookId!: string;

  @Column({ type: 'bigint', name: 'event_sequence' })
  eventSequence!: number;

  @Column({ type: 'text', default: 'pending' })
  status!: string;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
