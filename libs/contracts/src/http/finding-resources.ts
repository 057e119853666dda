import { z } from 'zod';
import { findingKinds, findingStates } from '../fixed-values.js';
import { dateTime, nextCursor, oneOf, text } from './resources.js';

/** Fields of a finding that its events have too. */
export const findingFields = {
  id: text,
  kind: oneOf(findingKinds),
  state: oneOf(findingStates),
  subject_id: text.describe('The user, account, machine identity, connector or identity that the finding is about.'),
  identity_id: text.optional().describe('The identity that the finding concerns.'),
  evidence: z.record(text, z.unknown()).describe('Ids, statuses and times that are the reason of the finding.'),
  opened_at: dateTime.describe('When the finding was first opened.'),
  resolved_at: dateTime.optional(),
};

export const finding = z.strictObject({
  ...findingFields,
  accepted: z
    .strictObject({
      by: text,
      reason: text,
      at: dateTime,
      until: dateTime.optional().describe('When the finding is open again.'),
    })
    .optional(),
  name: text
    .optional()
    .describe('Name of the subject: its display name, else first and last name, else its id in the source.'),
  connector_id: text.optional().describe('The connector of the subject.'),
});
export const findingPage = z.strictObject({
  data: z.array(finding),
  limit: z.int(),
  next_cursor: nextCursor,
});
export const findingCounts = z.strictObject({
  data: z
    .array(z.strictObject({ kind: oneOf(findingKinds), count: z.int(), exact: z.boolean() }))
    .describe('Kinds with open findings. Each is counted up to 10000; if not exact, there are more.'),
});

export type Finding = z.infer<typeof finding>;
