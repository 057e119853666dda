import type { CaseStatus, MatchingRules, OperationStatus, OperationType } from '@idsync/contracts';
import { entity, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

export const MatchingRulesEntity = entity('matching_rules', {
  tenantId: uuid({ primary: true }),
  rules: jsonb<MatchingRules>(),
  updatedAt: timestamptz(),
  /** Earlier rules by which some records are still matched. */
  former: jsonb<MatchingRules[]>({ nullable: true }),
});
export type MatchingRulesEntity = RowOf<typeof MatchingRulesEntity>;

export interface CaseCandidate {
  identity_id: string;
  /** 1 for a deterministic match key. */
  score: number;
  /** Fields that agree, for display. */
  evidence: string[];
  /** The record of the candidate that was compared; absent for a match key. */
  record_id?: string;
}

export const ReviewCaseEntity = entity('review_cases', {
  ...ofTenant,
  id: uuid({ primary: true }),
  recordId: uuid(),
  kind: text<'contested' | 'weak'>(),
  status: text<CaseStatus>({ default: 'open' }),
  reason: text(),
  candidates: jsonb<CaseCandidate[]>(),
  openedAt: timestamptz(),
  closedAt: timestamptz({ nullable: true }),
  operationId: uuid({ nullable: true }),
});
export type ReviewCaseEntity = RowOf<typeof ReviewCaseEntity>;

/** Position of a change of a whole tenant, which is made in parts. */
export interface OperationProgress {
  /** Number of records. */
  done: number;
  total: number;
  /** The next step, and the position in it. */
  step: number;
  after?: string | undefined;
  /** Added to the result: the people whose access changes. */
  access?: object;
}

export const OperationEntity = entity('operations', {
  ...ofTenant,
  id: uuid({ primary: true }),
  type: text<OperationType>(),
  /** Input as the operation type defines it; fields that several types share are declared. */
  input: jsonb<{ reason?: string; preview?: boolean }>(),
  status: text<OperationStatus>({ default: 'queued' }),
  createdAt: timestamptz({ createDate: true }),
  endedAt: timestamptz({ nullable: true }),
  result: jsonb<Record<string, unknown>>({ nullable: true }),
  /** Data that the directory needs to revert the operation; as large as its changes. */
  undo: jsonb<object>({ nullable: true, select: false }),
  revertedBy: uuid({ nullable: true }),
  announcedAt: timestamptz({ default: () => 'now()' }),
  progress: jsonb<OperationProgress>({ nullable: true }),
});
export type OperationEntity = RowOf<typeof OperationEntity>;
