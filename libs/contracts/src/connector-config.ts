import { z } from 'zod';
import { type ConnectorType, connectorDefinitions, connectorTypes } from './connectors/definitions.js';
import { recordKinds } from './fixed-values.js';
import { isMappableField } from './records.js';
import { schedule } from './schedule.js';
import { text } from './text.js';

const percent = z.int().min(0).max(100);
const records = z.int().min(0).max(1_000_000_000);

/** Fields that identify a person. Others, such as a department, change for many people at once in normal operation. */
const identifyingFields = [
  'employee_number',
  'email',
  'user_principal_name',
  'first_name',
  'last_name',
  'display_name',
  'hire_date',
  'termination_date',
];
const guardedField = text.max(200).refine((field) => isMappableField('user', field), {
  error: 'must be a field of user, a matching key or attributes.<name>',
});

/**
 * Safeguard of a run. Deletions, disables, returns to active, ids of other people, new users, changes of one field and replaced ids that exceed both the
 * percentage of the records known before the run and the number are quarantined, and so is a run if the records that it
 * left out exceed both the percentage of the records that it read and the number. A percentage of 100 disables the
 * safeguard. Deletions and disables are counted together with those of the runs within the last `within_hours`.
 */
export const safeguard = z.strictObject({
  max_deleted_percent: percent.default(10),
  max_deleted_records: records.default(20),
  max_disabled_percent: percent.default(10),
  max_disabled_records: records.default(20),
  max_enabled_percent: percent.default(10),
  max_enabled_records: records.default(20),
  max_reused_percent: percent.default(0),
  max_reused_records: records.default(0),
  within_hours: z.int().min(0).max(720).default(24),
  max_failed_percent: percent.default(50),
  max_failed_records: records.default(10),
  max_created_percent: percent.default(20),
  max_created_records: records.default(20),
  max_changed_percent: percent.default(20),
  max_changed_records: records.default(20),
  changed_fields: z.array(guardedField).max(50).default(identifyingFields),
  max_rekeyed_percent: percent.default(10),
  max_rekeyed_records: records.default(5),
});
export type Safeguard = z.infer<typeof safeguard>;

const common = {
  name: text.trim().min(1).max(200),
  /** The lowest priority wins when several sources provide the same field. */
  priority: z.int().min(0).max(1_000_000).default(100),
  safeguard: safeguard
    .prefault({})
    .describe(
      'Safeguard of a run: deletions, disables, returns to `active`, ids that belong to other people now, new users, changes of one of `changed_fields`, replaced ids and records left out that exceed both the percentage and the number are quarantined. Deletions and disables of earlier runs within `within_hours` count too.',
    ),
  schedule: schedule.nullish().describe('When the connector runs automatically; null: never.'),
  records: z.enum(recordKinds, { error: `must be one of ${recordKinds.join(', ')}` }).default('user'),
};

type BodyOf<Type extends ConnectorType> = z.ZodObject<
  {
    type: z.ZodLiteral<Type>;
    config: (typeof connectorDefinitions)[Type]['config'];
    secrets: z.ZodPrefault<(typeof connectorDefinitions)[Type]['secrets']>;
  } & typeof common,
  z.core.$strict
>;

function bodyOf<Type extends ConnectorType>(type: Type): BodyOf<Type> {
  const { config, secrets } = connectorDefinitions[type];
  const given = (secrets as z.ZodObject).prefault({}).describe('Stored encrypted and never returned.');
  return z.strictObject({ type: z.literal(type), ...common, config, secrets: given }) as unknown as BodyOf<Type>;
}

type Bodies = { [Type in ConnectorType]: BodyOf<Type> }[ConnectorType];

/** Body of `POST /admin/v1/tenants/{id}/connectors`. */
export const connectorBody = z
  .discriminatedUnion('type', connectorTypes.map((type) => bodyOf(type)) as unknown as [Bodies, ...Bodies[]], {
    error: `must be one of ${connectorTypes.join(', ')}`,
  })
  .superRefine((body, context) => {
    for (const field of Object.keys(body.config.fields ?? {})) {
      if (isMappableField(body.records, field)) continue;
      context.addIssue({
        code: 'custom',
        path: ['config', 'fields', field],
        message: `is not a field of ${body.records}, a matching key or attributes.<name>`,
      });
    }
  });
export type ConnectorBody = z.infer<typeof connectorBody>;
