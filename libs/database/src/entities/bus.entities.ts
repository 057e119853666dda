import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Index('outbox_producer', ['producer', 'id'])
@Entity('outbox')
export class OutboxEntryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  producer!: string;

  @Column('uuid')
  messageId!: string;

  @Column('text')
  type!: string;

  @Column('text')
  message!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}

@Entity('relay_leases')
export class RelayLeaseEntity {
  @PrimaryColumn('text')
  producer!: string;

  @Column('bigint')
  token!: number;

  @Column('text')
  owner!: string;

  @Column('timestamptz')
  until!: Date;
}

@Index('inbox_age', ['consumer', 'receivedAt'])
@Entity('inbox')
export class InboxEntryEntity {
  @PrimaryColumn('text')
  consumer!: string;

  @PrimaryColumn('uuid')
  messageId!: string;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt!: Date;
}

@Index('bus_messages_due', ['queue', 'availableAt', 'id'], { where: 'dead_at is null' })
@Index('bus_messages_dead', ['queue', 'id'], { where: 'dead_at is not null' })
@Index('bus_messages_dead_message', ['messageId'], { where: 'dead_at is not null' })
@Entity('bus_messages')
export class BusMessageEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  queue!: string;

  @Column('uuid', { nullable: true })
  messageId!: string | null;

  @Column('text')
  type!: string;

  @Column('text')
  message!: string;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { default: () => 'now()' })
  availableAt!: Date;

  @Column('uuid', { nullable: true })
  leaseToken!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  deadAt!: Date | null;

  @Column('text', { nullable: true })
  deadReason!: string | null;
}

/** A process of a service, as it has last reported. */
@Entity('service_processes')
export class ServiceProcessEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  service!: string;

  @Column('text')
  version!: string;

  @Column('text')
  host!: string;

  @Column('timestamptz')
  startedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;

  @Column('boolean')
  brokerConnected!: boolean;

  @Column('integer')
  outboxMessages!: number;

  @Column('double precision')
  outboxLagSeconds!: number;
}
