import type { CaseStatus, MatchingRules, OperationStatus, OperationType } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

@Entity('matching_rules')
export class MatchingRulesEntity {
  @PrimaryColumn('uuid')
  tenantId!: string;

  @Column('jsonb')
  rules!: MatchingRules;

  @Column('timestamptz')
  updatedAt!: Date;
}

export interface CaseCandidate {
  identity_id: string;
  /** 1 for a deterministic match key. */
  score: number;
  /** Fields that agree, for display. */
  evidence: string[];
  /** The record of the candidate that was compared; absent for a match key. */
  record_id?: string;
}

@Entity('review_cases')
export class ReviewCaseEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  recordId!: string;

  @Column('text')
  kind!: 'contested' | 'weak';

  @Column('text', { default: 'open' })
  status!: CaseStatus;

  @Column('text')
  reason!: string;

  @Column('jsonb')
  candidates!: CaseCandidate[];

  @Column('timestamptz')
  openedAt!: Date;

  @Column('timestamptz', { nullable: true })
  closedAt!: Date | null;

  @Column('uuid', { nullable: true })
  operationId!: string | null;
}

@Entity('operations')
export class OperationEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  type!: OperationType;

  /** Input as the operation type defines it; fields that several types share are declared. */
  @Column('jsonb')
  input!: { reason?: string; preview?: boolean };

  @Column('text', { default: 'queued' })
  status!: OperationStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('jsonb', { nullable: true })
  result!: Record<string, unknown> | null;

  /** Data that the directory needs to revert the operation; as large as its changes. */
  @Column('jsonb', { nullable: true, select: false })
  undo!: object | null;

  @Column('uuid', { nullable: true })
  revertedBy!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  announcedAt!: Date;
}
