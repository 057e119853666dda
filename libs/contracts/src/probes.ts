import { z } from 'zod';
import { sourceRecord } from './records.js';

/** What may be asked of a connector: whether it works, or what its source has to map. */
export const probeKinds = ['test', 'discover'] as const;
export type ProbeKind = (typeof probeKinds)[number];
export const probeStatuses = ['queued', 'done', 'failed'] as const;
export type ProbeStatus = (typeof probeStatuses)[number];

/** What came of a probe. Of a failed one there is the error only. */
export const probeResult = z.strictObject({
  /** Why the source cannot be read. */
  error: z.string().optional(),
  /** `test`: its first records as the mapping makes them, at most five. */
  records: z.array(sourceRecord).optional(),
  /** `test`: what could not be mapped among them. */
  errors: z.array(z.strictObject({ external_id: z.string().optional(), message: z.string() })).optional(),
  /** `discover`: fields of the source, with examples of their values. */
  fields: z.array(z.strictObject({ name: z.string(), examples: z.array(z.string()) })).optional(),
});
export type ProbeResult = z.infer<typeof probeResult>;
