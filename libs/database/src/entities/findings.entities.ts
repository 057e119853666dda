import type { FindingKind, FindingPolicy, FindingState } from '@idsync/contracts';
import { entity, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

export const FindingEntity = entity('findings', {
  ...ofTenant,
  id: uuid({ primary: true }),
  kind: text<FindingKind>(),
  /** The record, identity or connector that the finding is about; `findingSubjects` has its kind. */
  subjectId: uuid(),
  /** The identity that the finding concerns, if any. */
  identityId: uuid({ nullable: true }),
  /** Ids, statuses and times, as the API shows them; no values of a person, so that an erasure need not change it. */
  evidence: jsonb<Record<string, unknown>>(),
  state: text<FindingState>({ default: 'open' }),
  openedAt: timestamptz(),
  resolvedAt: timestamptz({ nullable: true }),
  acceptedBy: text({ nullable: true }),
  acceptedReason: text({ nullable: true }),
  acceptedAt: timestamptz({ nullable: true }),
  acceptedUntil: timestamptz({ nullable: true }),
});
export type FindingEntity = RowOf<typeof FindingEntity>;

export const FindingPolicyEntity = entity('finding_policies', {
  tenantId: uuid({ primary: true }),
  policy: jsonb<FindingPolicy>(),
  updatedAt: timestamptz(),
});
export type FindingPolicyEntity = RowOf<typeof FindingPolicyEntity>;
