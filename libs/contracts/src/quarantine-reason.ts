import { z } from 'zod';
import { text } from './text.js';

/** Why the safeguard stopped a run, with the numbers behind it. */
export const quarantineReason = z.strictObject({
  rule: text.describe('failed | deleted | disabled | enabled | reused | created | changed | rekeyed | empty_source'),
  field: text.optional().describe('changed: the field; rekeyed: the match key that old and new records share.'),
  count: z.int(),
  of: z.int().describe('Live records of the connector before the job; failed, and without any: records that it read.'),
  max_percent: z.int().optional(),
  max_records: z.int().optional(),
  text: text.describe('The reason as a sentence.'),
});
/** Stored without examples, so that an erasure has nothing to remove from it. */
export type QuarantineReason = z.infer<typeof quarantineReason>;

export const shownQuarantineReason = quarantineReason.extend({
  examples: z.array(text).describe('External ids, at most five; rekeyed: `old → new`.'),
});
