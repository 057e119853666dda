import { z } from 'zod';
import { text } from '../text.js';
import { digits, limit, nextCursor, window } from './request-parts.js';

const exact = (description: string) => text.min(1).max(200).optional().describe(description);
const filters = {
  limit,
  cursor: nextCursor.describe(
    '`next_cursor` of an earlier page. A page may be shorter than `limit` although more follow.',
  ),
  actor: exact('Only acts of the actor with this name.'),
  action: exact('Only this action, such as releaseSyncJob.'),
  resource: exact('Only acts on the resource with this id.'),
  request_id: exact('Only acts of the request with this `x-request-id`.'),
  ...window('acts'),
};

/** Filters of entries of all chains. */
export const auditQuery = z.strictObject(filters);
/** Filters of entries of one chain. */
export const tenantAuditQuery = z.strictObject({
  ...filters,
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .default('desc')
    .describe('asc: the oldest first | desc: the newest first.'),
});

/** Entries that one request recomputes. */
export const maxVerified = 5_000;
export const auditVerificationQuery = z.strictObject({
  after: digits('must be the number of an entry').default(0).describe('Begin after the entry with this number.'),
  known: z
    .string({ error: 'must be a sequence and a hash, such as 12:0f…' })
    .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'must be a sequence and a hash, such as 12:0f…')
    .transform((each) => ({ sequence: Number(each.split(':')[0]), hash: each.split(':')[1] ?? '' }))
    .optional()
    .describe('Sequence and hash of an entry that the caller kept: `12:0f…`.'),
});
