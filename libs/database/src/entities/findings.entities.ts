import type { FindingKind, FindingPolicy, FindingState } from '@idsync/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

@Entity('findings')
export class FindingEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  kind!: FindingKind;

  /** The record, identity or connector that the finding is about; `findingSubjects` has its kind. */
  @Column('uuid')
  subjectId!: string;

  /** The identity that the finding concerns, if any. */
  @Column('uuid', { nullable: true })
  identityId!: string | null;

  /** Ids, statuses and times, as the API shows them; no values of a person, so that an erasure need not change it. */
  @Column('jsonb')
  evidence!: Record<string, unknown>;

  @Column('text', { default: 'open' })
  state!: FindingState;

  @Column('timestamptz')
  openedAt!: Date;

  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;

  @Column('text', { nullable: true })
  acceptedBy!: string | null;

  @Column('text', { nullable: true })
  acceptedReason!: string | null;

  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  acceptedUntil!: Date | null;
}

@Entity('finding_policies')
export class FindingPolicyEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('jsonb')
  policy!: FindingPolicy;

  @Column('timestamptz')
  updatedAt!: Date;
}
