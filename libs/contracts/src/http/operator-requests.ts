import { z } from 'zod';
import { approvalStatuses, caseStatuses, findingKinds, findingStates, resultLists } from '../fixed-values.js';
import { text } from '../text.js';
import { by, choice, expiry, instant, limit, name, nextCursor, oneOf, page, reason } from './request-parts.js';

export const pageQuery = z.object(page);
export const tenantBody = z.strictObject({ name });
export const exportQuery = z.object({
  after: z
    .string()
    .max(4_096)
    .optional()
    .describe('The `position` of a line of an earlier export, which is continued behind this line.'),
});
export const tenantDeletionBody = z.strictObject({
  name: z.string().describe('The exact name of the tenant, as a confirmation.'),
});
export const tenantPatch = z.strictObject({
  name: name.optional(),
  suspended: z
    .boolean()
    .optional()
    .describe('true: keys of the tenant answer 403, and no source is read; false: resumes the tenant.'),
});
const id = text.min(1).max(100);
export const caseQuery = z.object({
  ...page,
  status: choice(caseStatuses).default('open').describe('Only this status.'),
});
export const operationItemQuery = z.object({
  ...page,
  list: choice(resultLists)
    .default('joined')
    .describe('The list of the result; it has at most 5000 items, and the counts of the result include all.'),
});
export const resolveBody = z
  .strictObject({
    resolution: z.enum(['link', 'new', 'ignore'], { error: 'must be link, new or ignore' }),
    identity_id: id.optional(),
    reason,
  })
  .refine((body) => (body.resolution === 'link') === (body.identity_id !== undefined), {
    path: ['identity_id'],
    error: 'is required with link and not allowed otherwise',
  });
export const mergeBody = z.strictObject({ from_ids: z.array(id).min(1).max(50), reason });
export const splitBody = z.strictObject({ record_ids: z.array(id).min(1).max(1000), reason });
/** Body of an acceptance of a finding. */
export const acceptFindingBody = z.strictObject({
  reason: text.trim().min(1).max(1000),
  until: expiry.describe('When the finding is open again; permanently accepted if absent.'),
  by,
});
export const undoBody = z.strictObject({ preview: z.boolean().default(false), reason });
/** Body of an operation that needs at most a reason. */
export const eraseBody = z.strictObject({
  keep_out: z
    .boolean()
    .default(true)
    .describe('Leave the person out when a source lists them again; false: the next full run creates them again.'),
  reason: text.min(1).max(1000).optional(),
});
export const reasonBody = z.strictObject({ reason });
export const confirmBody = z.strictObject({ reason: text.trim().min(1).max(1000) });
export const approvalQuery = z.object({
  ...page,
  status: oneOf(approvalStatuses, 'Only this status.'),
});
export const findingQuery = z.strictObject({
  limit,
  cursor: nextCursor,
  kind: oneOf(findingKinds, 'Only this kind.'),
  state: oneOf(findingStates, 'Only this state.'),
  subject: z
    .string()
    .max(100)
    .optional()
    .describe('Only findings about this user, account, machine identity or connector, or concerning this identity.'),
  since: instant.optional().describe('Only findings that were first opened at or after this time.'),
});
