import { z } from 'zod';
import { safeguard } from '../connector-config.js';
import { jobStatuses, recordKinds, syncModes } from '../fixed-values.js';
import { sourceRecord } from '../records.js';
import { schedule } from '../schedule.js';
import { text } from '../text.js';
import { by, name, page } from './request-parts.js';

export const planActions = ['create', 'update', 'disable', 'delete'] as const;
export const planQuery = z.object({
  ...page,
  action: z.enum(planActions, { error: `must be one of ${planActions.join(', ')}` }).optional(),
  external_id: text.trim().min(1).max(512).optional(),
});
/** Decision about the records of a deleted connector. */
export const recordsOfDeleted = ['keep', 'retire', 'hand_over'] as const;
export const connectorDeletionQuery = z
  .object({
    records: z.enum(recordsOfDeleted, { error: `must be one of ${recordsOfDeleted.join(', ')}` }).default('keep'),
    to: z.string({ error: 'must be the id of a connector' }).optional(),
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
  mode: z
    .enum(syncModes, { error: `must be one of ${syncModes.join(', ')}` })
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
  connector_id: z.string().optional(),
  status: z.enum(jobStatuses, { error: `must be one of ${jobStatuses.join(', ')}` }).optional(),
});

/** Path parameter, decoded. PostgreSQL cannot store NUL. */
export const recordPath = z.object({
  external_id: sourceRecord.shape.external_id.refine((id) => !id.includes('\0'), {
    error: 'must not contain a NUL character',
  }),
});
