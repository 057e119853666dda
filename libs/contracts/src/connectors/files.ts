import { z } from 'zod';
import { text } from '../text.js';
import { mapping } from './field-map.js';

const filePath = text.min(1).max(1024);

/** `path` is relative to SOURCES_DIR. `external_id` names the column that identifies a record for ever. */
export const csvConfig = z.strictObject({
  path: filePath,
  ...mapping,
  delimiter: text.length(1).optional(),
  list_separator: text.length(1).optional(),
});
export type CsvConfig = z.infer<typeof csvConfig>;

/** `external_id` names an attribute or `dn`. Without `object_class`, people are read and containers and groups are not. */
export const ldifConfig = z.strictObject({
  path: filePath,
  ...mapping,
  object_class: text.min(1).max(256).optional(),
});
export type LdifConfig = z.infer<typeof ldifConfig>;
