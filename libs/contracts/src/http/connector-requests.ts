import { z } from 'zod';
import { safeguard } from '../connector-config.js';
import { jobStatuses, planActions, recordKinds, syncModes } from '../fixed-values.js';
import { sourceRecord } from '../records.js';
import { schedule } from '../schedule.js';
import { text } from '../text.js';
import { by, choice, exact, idFilter, name, oneOf, page } from './request-parts.js';

export const planQuery = z.object({
  ...page,
  action: oneOf(planActions, 'Only changes of this kind.'),
  external_id: exact('Only records whose external id contains this text; case is ignored.'),
});
export const connectorDeletionQuery = z
  .object({
    records: choice(['keep', 'retire', 'hand_over'])
      .default('keep')
      .describe(
        'keep: they stay as they are | retire: a job deletes them under the deletion safeguard | hand_over: they become records of the connector `to`. With four eyes only keep; retiring or handing over the records of the deleted connector then needs a second operator.',
      ),
    to: z
      .string({ error: 'must be the id of a connector' })
      .optional()
      .describe('With hand_over: id of the connector that takes the records.'),
  })
  .refine(({ records, to }) => (records === 'hand_over') === (to !== undefined), {
    path: ['to'],
    error: 'is required with records=hand_over, and only then',
  });

/** Documents the patch; the resulting connector is validated as a whole. */
export const connectorPatch = z.looseObject({
  name: name.optional(),
  priority: z.int().optional(),
  records: z.enum(recordKinds).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  safeguard: safeguard.optional(),
  schedule: schedule.nullish(),
});
export const operatorTriggerBody = z.strictObject({
  connector_id: text.min(1),
  /** Stores what a run would change, and changes nothing. */
  dry_run: z.boolean().default(false),
  mode: choice(syncModes)
    .default('auto')
    .describe(
      'full: the whole source | changes: changes since the last run | auto: changes where the source supports it.',
    ),
});
export const cancelBody = z.strictObject({ reason: text.trim().min(1).max(1000).optional(), by });
export const releaseBody = z.strictObject({ reason: text.trim().min(1).max(1000), by });
export const handOverBody = z.strictObject({ to: text.min(1), reason: text.min(1).max(1000).optional() });
export const operatorJobQuery = z.object({
  ...page,
  connector_id: idFilter('Only jobs of this connector.'),
  status: oneOf(jobStatuses, 'Only jobs in this status.'),
});

/** Path parameter, decoded. PostgreSQL cannot store NUL. */
export const recordPath = z.object({
  external_id: sourceRecord.shape.external_id.refine((id) => !id.includes('\0'), {
    error: 'must not contain a NUL character',
  }),
});
