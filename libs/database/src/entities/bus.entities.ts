import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Index('outbox_producer', ['producer', 'id'])
@Entity('outbox')
export class OutboxEntryEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'outbox_pkey',
  })
  id!: number;

  @Column({ type: 'text' })
  producer!: string;

  @Column({ type: 'uuid', name: 'message_id' })
  messageId!: string;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text', name: 'ordering_key', nullable: true })
  orderingKey!: string | null;

  @Column({ type: 'text' })
  message!: string;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}

@Entity('relay_leases')
export class RelayLeaseEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relay_leases_pkey' })
  producer!: string;

  @Column({ type: 'bigint' })
  token!: number;

  @Column({ type: 'text' })
  owner!: string;

  @Column({ type: 'timestamptz' })
  until!: Date;
}

@Index('inbox_age', ['consumer', 'receivedAt'])
@Entity('inbox')
export class InboxEntryEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'inbox_pkey' })
  consumer!: string;

  @PrimaryColumn({ type: 'uuid', name: 'message_id', primaryKeyConstraintName: 'inbox_pkey' })
  messageId!: string;

  @Column({ type: 'timestamptz', name: 'received_at', default: () => 'now()' })
  receivedAt!: Date;
}

@Index('bus_messages_due', ['queue', 'availableAt', 'id'], { where: 'dead_at is null' })
@Index('bus_messages_order', ['queue', 'orderingKey', 'id'], { where: 'dead_at is null and ordering_key is not null' })
@Index('bus_messages_dead', ['queue', 'id'], { where: 'dead_at is not null' })
@Entity('bus_messages')
export class BusMessageEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'bus_messages_pkey',
  })
  id!: number;

  @Column({ type: 'text' })
  queue!: string;

  @Column({ type: 'uuid', name: 'message_id', nullable: true })
  messageId!: string | null;

  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text', name: 'ordering_key', nullable: true })
  orderingKey!: string | null;

  @Column({ type: 'text' })
  message!: string;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  @Column({ type: 'timestamptz', name: 'available_at', default: () => 'now()' })
  availableAt!: Date;

  @Column({ type: 'uuid', name: 'lease_token', nullable: true })
  leaseToken!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'dead_at', nullable: true })
  deadAt!: Date | null;

  @Column({ type: 'text', name: 'dead_reason', nullable: true })
  deadReason!: string | null;
}
