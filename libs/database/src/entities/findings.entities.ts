import type { FindingKind, FindingPolicy, FindingState } from '@idsync/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { DeletedWithTenant, TenantEntity } from './tenant.entities.js';

@Index('findings_unresolved', ['tenantId', 'kind', 'subjectId'], { unique: true, where: "state <> 'resolved'" })
@Index('findings_listed', ['tenantId', 'state', 'kind', 'id'])
@Index('findings_subject', ['tenantId', 'subjectId', 'id'])
@Index('findings_identity', ['tenantId', 'identityId', 'id'], { where: 'identity_id is not null' })
@Index('findings_checked', ['tenantId', 'id'], { where: "state <> 'resolved'" })
@Index('findings_expiring', ['tenantId', 'acceptedUntil'], { where: "state = 'accepted'" })
@Index('findings_resolved', ['tenantId', 'resolvedAt'], { where: "state = 'resolved'" })
@Index('findings_open', ['kind'], { where: "state = 'open'" })
@Check('findings_state_check', "state in ('open', 'accepted', 'resolved')")
@Entity('findings')
export class FindingEntity extends DeletedWithTenant {
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

/** Progress of the evaluation of a tenant's findings. */
@Check('finding_passes_phase_check', "phase in ('users', 'others', 'findings')")
@Entity('finding_passes')
export class FindingPassEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @ManyToOne(() => TenantEntity, { onDelete: 'CASCADE' })
  @JoinColumn()
  tenant?: Relation<TenantEntity>;

  @Column('text', { default: 'users' })
  phase!: 'users' | 'others' | 'findings';

  @Column('timestamptz', { nullable: true })
  afterAt!: Date | null;

  @Column('uuid', { nullable: true })
  afterId!: string | null;

  @Column('timestamptz')
  beganAt!: Date;

  /** The tenant's last event when the pass began; a later event makes another pass necessary. */
  @Column('bigint')
  beganSequence!: number;

  @Column('integer', { default: 0 })
  spentMs!: number;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
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
