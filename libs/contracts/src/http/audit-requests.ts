import { z } from 'zod';
import { text } from '../text.js';
import * as requests from './requests.js';

const { cursor, limit, since } = requests.auditFields;
const exact = text.min(1).max(200).optional();
const filters = {
  limit,
  cursor,
  actor: exact,
  action: exact,
  resource: exact,
  request_id: exact,
  since,
  until: since,
};

/** Filters of entries of all chains. */
export const auditQuery = z.strictObject(filters);
/** Filters of entries of one chain. */
export const tenantAuditQuery = z.strictObject({
  ...filters,
  order: z.enum(['asc', 'desc'], { error: 'must be asc or desc' }).default('desc'),
});

/** Entries that one request recomputes. */
export const maxVerified = 5_000;
const sequence = 'must be the number of an entry';
export const auditVerificationQuery = z.strictObject({
  after: z
    .string({ error: sequence })
    .regex(/^\d{1,15}$/, sequence)
    .transform(Number)
    .default(0),
  known: z
    .string({ error: 'must be a sequence and a hash, such as 12:0f…' })
    .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'must be a sequence and a hash, such as 12:0f…')
    .transform((each) => ({ sequence: Number(each.split(':')[0]), hash: each.split(':')[1] ?? '' }))
    .optional(),
});
