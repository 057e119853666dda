import { z } from 'zod';
import { type ConnectorType, connectorDefinitions, connectorTypes } from './connectors/definitions.js';
import { isMappableField, recordKinds } from './records.js';
import { text } from './text.js';

const percent = z.int().min(0).max(100);
const records = z.int().min(0).max(1_000_000_000);

/**
 * How much one run may take away. More than both the percentage of the records known before it and the number waits for
 * an operator. A percentage of 100 lets everything through.
 */
export const safeguard = z.strictObject({
  max_deleted_percent: percent.default(10),
  max_deleted_records: records.default(20),
  max_disabled_percent: percent.default(10),
  max_disabled_records: records.default(20),
});
export type Safeguard = z.infer<typeof safeguard>;

const common = {
  name: text.trim().min(1).max(200),
  /** The lower integer wins when two sources give the same field. */
  priority: z.int().min(0).max(1_000_000).default(100),
  safeguard: safeguard
    .prefault({})
    .describe('How much one run may take away; more than both of a pair waits for an operator.'),
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
  const given = (secrets as z.ZodObject).prefault({}).describe('Sealed when it is stored, and never shown again.');
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
        message: `is no field of ${body.records}, no matching key and not attributes.<name>`,
      });
    }
  });
export type ConnectorBody = z.infer<typeof connectorBody>;
