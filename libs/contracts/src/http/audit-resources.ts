import { z } from 'zod';
import { actorKinds, auditOutcomes, auditProblems } from '../audit.js';
import { dateTime, nextCursor, oneOf, text } from './resources.js';

const hash = text.describe('SHA-256 in hexadecimal.');

export const auditEntry = z.strictObject({
  id: text,
  tenant_id: text.optional().describe('Absent: the entry belongs to the installation.'),
  sequence: z.int().describe('Number in the chain of the tenant or the installation, without gaps.'),
  at: dateTime,
  actor: z.strictObject({
    kind: oneOf(actorKinds),
    id: text.optional(),
    name: text,
    role: text.optional(),
    session: text.optional().describe('The session in a browser; absent with a bearer token.'),
  }),
  address: text.optional().describe('Network address of the caller.'),
  request_id: text.optional(),
  action: text.describe('The operation of this API without `admin`, such as releaseSyncJob, or what idsync observed.'),
  outcome: oneOf(
    auditOutcomes,
    'accepted: the act and this entry are one transaction | refused: nothing was changed | observed: noticed by idsync',
  ),
  status: z.int().optional().describe('HTTP status of a refusal.'),
  resource: text.optional().describe('The resource that the act addresses or creates.'),
  before: z.unknown().optional().describe('The resource before, without secrets.'),
  after: z.unknown().optional().describe('The resource after, or what was requested, without secrets.'),
  reason: text.optional(),
  error: text.optional(),
  previous_hash: hash,
  hash: hash.describe('SHA-256 of the canonical JSON (RFC 8785) of this entry without `hash`.'),
});
export const auditPage = z.strictObject({ data: z.array(auditEntry), limit: z.int(), next_cursor: nextCursor });

export const auditVerification = z.strictObject({
  verified: z.int().describe('Number of entries that this request recomputed.'),
  problems: z
    .array(
      z.strictObject({
        sequence: z.int(),
        problem: oneOf(
          auditProblems,
          'missing: the entry does not exist | changed: it is not the one that was written | unlinked: the entry before it was replaced | unverifiable: the key of its time is lost | head: the newest entry is not the one that was written | anchor: the chain of the installation has another entry | known: the given entry is another one',
        ),
      }),
    )
    .describe('At most a hundred, the oldest first.'),
  head: z
    .strictObject({ sequence: z.int(), hash, at: dateTime })
    .optional()
    .describe('The newest entry. Keep it elsewhere: a later verification can be given it.'),
  next_after: z.int().optional().describe('Continue after this entry; absent when the chain was read to its end.'),
});

export type AuditEntry = z.infer<typeof auditEntry>;
export type AuditVerification = z.infer<typeof auditVerification>;
