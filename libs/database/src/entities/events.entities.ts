import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('event_sequences')
export class EventSequenceEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('bigint')
  last!: number;

  /** The last time that was assigned to a change or an event; null before the first one. */
  @Column('timestamptz', { nullable: true })
  lastAt!: Date | null;
}
