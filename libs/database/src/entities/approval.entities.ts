import type { ActorKind, GuardedAction, StoredApprovalStatus } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

type Actor = { kind: ActorKind; id?: string; name: string; role?: string };

/** An act of an operator that a second operator decides about. */
@Entity('approvals')
export class ApprovalEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  action!: GuardedAction;

  /** Public id. */
  @Column('text', { nullable: true })
  resource!: string | null;

  /** The request, in the form of the API. */
  @Column('jsonb')
  input!: Record<string, unknown>;

  /** The state that the act was requested in. The approval is stale if it differs. */
  @Column('jsonb', { nullable: true })
  basis!: unknown;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('jsonb')
  requestedBy!: Actor;

  @Column('text', { default: 'pending' })
  status!: StoredApprovalStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('jsonb', { nullable: true })
  decidedBy!: Actor | null;

  @Column('timestamptz', { nullable: true })
  decidedAt!: Date | null;

  @Column('text', { nullable: true })
  decisionReason!: string | null;

  @Column('uuid', { nullable: true })
  operationId!: string | null;
}
