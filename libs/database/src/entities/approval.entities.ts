import type { ActorKind, GuardedAction, StoredApprovalStatus } from '@idsync/contracts';
import { entity, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

type Actor = { kind: ActorKind; id?: string; name: string; role?: string };

/** An act of an operator that a second operator decides about. */
export const ApprovalEntity = entity('approvals', {
  ...ofTenant,
  id: uuid({ primary: true }),
  action: text<GuardedAction>(),
  /** Public id. */
  resource: text({ nullable: true }),
  /** The request, in the form of the API. */
  input: jsonb<Record<string, unknown>>(),
  /** The state that the act was requested in. The approval is stale if it differs. */
  basis: jsonb({ nullable: true }),
  reason: text({ nullable: true }),
  requestedBy: jsonb<Actor>(),
  status: text<StoredApprovalStatus>({ default: 'pending' }),
  createdAt: timestamptz({ createDate: true }),
  expiresAt: timestamptz(),
  decidedBy: jsonb<Actor>({ nullable: true }),
  decidedAt: timestamptz({ nullable: true }),
  decisionReason: text({ nullable: true }),
  operationId: uuid({ nullable: true }),
});
export type ApprovalEntity = RowOf<typeof ApprovalEntity>;
