import { z } from 'zod';
import { text } from '../text.js';
import { mapping } from './field-map.js';

/** PostgreSQL keeps 63 bytes of a name, MySQL 64 characters. */
const sqlName = text.min(1).max(128);

const query = text
  .max(65_536)
  .refine((sql) => /^(?:\s|--.*|\/\*[\s\S]*?\*\/)*(?:select|with)\b/i.test(sql), { error: 'must be a SELECT' })
  .refine((sql) => !/;\s*$/.test(sql), { error: 'must not end in a semicolon' });

/**
 * Rows of a table, a view or a query, one record each, read in the order of `key`: a unique column that never changes and has an
 * index. `changed_at` names a column of dates or times by which later reads take only what has changed.
 */
export const sqlConfig = z
  .strictObject({
    dialect: z.enum(['postgres', 'mysql']).describe('mysql is MariaDB, too.'),
    host: text.min(1).max(253),
    port: z.int().min(1).max(65_535).optional().describe('5432 or 3306 if it is left out.'),
    database: sqlName,
    user: sqlName,
    ssl: z
      .enum(['verify', 'verify_ca', 'off'])
      .default('verify')
      .describe('Whether the certificate must be of this host, must be of `ca`, or there is none.'),
    ca: text.max(65_536).optional().describe('PEM; the well-known authorities if it is left out.'),
    timeout_seconds: z.int().min(1).max(600).default(60).describe('For one page.'),
    schema: sqlName.optional().describe('Of `table`; where the server looks first if it is left out.'),
    table: sqlName.optional().describe('A table or a view.'),
    query: query.optional().describe('A single SELECT, in place of `table`.'),
    key: sqlName.optional().describe('`external_id` if it is left out.'),
    changed_at: sqlName.optional(),
    overlap_seconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(600)
      .describe('Longer than the longest transaction that writes rows.'),
    deleted: sqlName.optional().describe('The column that marks deleted rows: true, not 0, or not NULL.'),
    deleted_values: z.array(text.max(256)).min(1).max(20).optional().describe('The values of `deleted` that mean so.'),
    ...mapping,
  })
  .refine((config) => (config.table === undefined) !== (config.query === undefined), {
    error: 'must name either a table or a query',
    path: ['table'],
  })
  .refine((config) => config.schema === undefined || config.table !== undefined, {
    error: 'is the schema of a table',
    path: ['schema'],
  })
  .refine((config) => config.ssl !== 'verify_ca' || config.ca !== undefined, {
    error: 'is needed where ssl is verify_ca',
    path: ['ca'],
  })
  .refine((config) => config.deleted_values === undefined || config.deleted !== undefined, {
    error: 'are the values of the column that deleted names',
    path: ['deleted_values'],
  });
export type SqlConfig = z.infer<typeof sqlConfig>;

export const sqlSecrets = z.strictObject({ password: text.min(1).max(1024) });
