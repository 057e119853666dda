import { z } from 'zod';
import { approvalStatuses } from '../fixed-values.js';
import { dateTime, oneOf, pageFields, text } from './resources.js';

const decision = z.strictObject({ by: text, at: dateTime, reason: text.optional() });

export const approval = z.strictObject({
  approval_id: text,
  status: oneOf(approvalStatuses, 'pending: waits for another operator | stale: what it concerns has changed since'),
  action: text.describe('The requested operation of this API, such as `releaseSyncJob`.'),
  role: text.describe('The role that an approver needs.'),
  resource: text.optional().describe('The resource that the act addresses.'),
  request: z.unknown().describe('The request, as it was sent.'),
  reason: text.optional(),
  requested_by: text,
  requested_at: dateTime,
  expires_at: dateTime,
  decision: decision.optional(),
  operation_id: text.optional().describe('The operation that the approval started.'),
});
export const approvalPage = z.strictObject({ data: z.array(approval), ...pageFields });

export type Approval = z.infer<typeof approval>;
