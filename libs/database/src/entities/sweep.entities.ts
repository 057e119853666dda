import type { FieldChange, KeyKind, QuarantineReason, RecordKind } from '@idsync/contracts';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** `open` while batches are applied, `held` while quarantined, `ready` to be applied, `done`. */
export type PlanState = 'open' | 'held' | 'ready' | 'done';

@Entity('sync_plans')
export class SyncPlanEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  jobId!: string;

  @Column('uuid')
  connectorId!: string;

  @Column('text', { default: 'open' })
  state!: PlanState;

  @Column('integer', { nullable: true })
  known!: number | null;

  @Column('integer', { default: 0 })
  deletions!: number;

  @Column('integer', { default: 0 })
  disables!: number;

  /** People who lost access when the plan was applied. */
  @Column('integer', { default: 0 })
  losses!: number;

  /** Of these people the first ones, because some may get access again. */
  @Column('uuid', { array: true, default: () => "'{}'" })
  lostIdentityIds!: string[];

  @Column('text', { nullable: true })
  note!: string | null;

  /** Why the safeguard stopped the run, with counts and examples. */
  @Column('jsonb', { default: () => "'[]'" })
  reasons!: QuarantineReason[];
}

export type PlanAction = 'create' | 'update' | 'disable' | 'delete';

@Entity('sync_plan_entries')
export class SyncPlanEntryEntity extends TenantOwned {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('uuid')
  jobId!: string;

  @Column('integer')
  seq!: number;

  @Column('text')
  action!: PlanAction;

  @Column('uuid')
  recordId!: string;

  @Column('text')
  kind!: RecordKind;

  @Column('text')
  externalId!: string;

  @Column('uuid', { nullable: true })
  identityId!: string | null;

  @Column('jsonb')
  changes!: FieldChange[];

  @Column('text', { nullable: true })
  incoming!: string | null;

  @Column('timestamptz', { nullable: true })
  basedOn!: Date | null;

  /** Earlier external id of a record that a new id replaces. */
  @Column('text', { nullable: true })
  movedFrom!: string | null;

  /** Identity that has a match key of a record to be created, and the key's kind. */
  @Column('uuid', { nullable: true })
  resemblesId!: string | null;

  @Column('text', { nullable: true })
  resemblesBy!: KeyKind | null;

  /** The normalised value of that key. */
  @Column('text', { nullable: true })
  resemblesValue!: string | null;

  /** Fields under the safeguard whose value changes or is lost. */
  @Column('text', { array: true, default: () => "'{}'" })
  changedFields!: string[];

  @Column('boolean', { default: false })
  done!: boolean;
}
