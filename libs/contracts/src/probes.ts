import { z } from 'zod';
import { sourceRecord } from './records.js';
import { sourceErrorCode, sourceMessage } from './source-errors.js';

/** `test` checks that a connector works; `discover` lists the fields of its source. */
export const probeKinds = ['test', 'discover'] as const;
export type ProbeKind = (typeof probeKinds)[number];
export const probeStatuses = ['queued', 'done', 'failed'] as const;
export type ProbeStatus = (typeof probeStatuses)[number];

/** Result of a probe. A failed probe has only the error fields. */
export const probeResult = z.strictObject({
  /** Why the source could not be read. */
  error: z.string().optional(),
  error_code: sourceErrorCode.optional(),
  source_message: sourceMessage.optional(),
  /** `test`: the first records after mapping, at most five. */
  records: z.array(sourceRecord.omit({ line: true })).optional(),
  /** `test`: mapping errors of these records. */
  errors: z
    .array(
      z.strictObject({
        line: z.int().optional(),
        external_id: z.string().optional(),
        message: z.string(),
        source_message: sourceMessage.optional(),
      }),
    )
    .optional(),
  /** `test`: how a file is read. */
  source: z
    .strictObject({
      encoding: z.string().optional(),
      delimiter: z.string().optional(),
      columns: z.array(z.string()).optional(),
    })
    .optional(),
  /** `test`: what a run would not see. */
  warnings: z.array(z.string()).optional(),
  /** `discover`: fields of the source, with example values. */
  fields: z.array(z.strictObject({ name: z.string(), examples: z.array(z.string()) })).optional(),
});
export type ProbeResult = z.infer<typeof probeResult>;
