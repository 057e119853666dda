import { z } from 'zod';
import { isMappableField, recordKinds } from './records.js';
import { text } from './text.js';

const fieldMap = z
  .record(text, text.min(1).max(256))
  .refine((map) => Object.keys(map).length > 0, { message: 'must map at least one field' });

const filePath = text.min(1).max(1024);

/** `path` is relative to SOURCES_DIR. `external_id` names the column that identifies a record for ever. */
export const csvConfig = z.strictObject({
  path: filePath,
  external_id: text.min(1).max(256),
  fields: fieldMap,
  delimiter: text.length(1).optional(),
  list_separator: text.length(1).optional(),
});
export type CsvConfig = z.infer<typeof csvConfig>;

/** `external_id` names an attribute or `dn`. Without `object_class`, people are read and containers and groups are not. */
export const ldifConfig = z.strictObject({
  path: filePath,
  external_id: text.min(1).max(256),
  fields: fieldMap,
  object_class: text.min(1).max(256).optional(),
});
export type LdifConfig = z.infer<typeof ldifConfig>;

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

/** Body of `POST /admin/v1/tenants/{id}/connectors`. */
export const connectorBody = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('csv'), ...common, config: csvConfig }),
      z.strictObject({ type: z.literal('ldif'), ...common, config: ldifConfig }),
    ],
    { error: 'must be csv or ldif' },
  )
  .superRefine((body, context) => {
    for (const field of Object.keys(body.config.fields)) {
      if (isMappableField(body.records, field)) continue;
      context.addIssue({
        code: 'custom',
        path: ['config', 'fields', field],
        message: `is no field of ${body.records}, no matching key and not attributes.<name>`,
      });
    }
  });
export type ConnectorBody = z.infer<typeof connectorBody>;
export const connectorTypes = ['csv', 'ldif'] as const;
export type ConnectorType = (typeof connectorTypes)[number];
