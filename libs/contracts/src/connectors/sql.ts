import { z } from 'zod';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { mapping } from './field-map.js';
import { neutral, secret, target } from './field-marks.js';

/** PostgreSQL limits names to 63 bytes, MySQL to 64 characters. */
const sqlName = text.min(1).max(128);

const query = text
  .max(65_536)
  .refine((sql) => /^(?:\s|--[^\r\n]*[\r\n]|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:select|with)\b/i.test(sql), {
    error: 'must be a SELECT',
  })
  .refine((sql) => !/;\s*$/.test(sql), { error: 'must not end in a semicolon' });

/**
 * Configuration for rows of a table, a view or a query, read in the order of `key`: an indexed unique column that never
 * changes. `changed_at` is a column of dates or times by which later reads are incremental.
 */
export const sqlConfig = z
  .strictObject({
    dialect: target(z.enum(['postgres', 'mysql']).describe('The database system; `mysql` includes MariaDB.')),
    host: target(text.min(1).max(253)),
    port: target(z.int().min(1).max(65_535).optional().describe('Default: 5432 for postgres, 3306 for mysql.')),
    database: target(sqlName),
    user: target(sqlName),
    ssl: target(
      z
        .enum(['verify', 'verify_ca', 'off'])
        .default('verify')
        .describe('TLS: with verification of certificate and host name, with verification against `ca` only, or off.'),
    ),
    ca: target(
      text.max(65_536).optional().describe('Certificate authorities in PEM; the default authorities if absent.'),
    ),
    timeout_seconds: neutral(z.int().min(1).max(600).default(60).describe('Timeout of one page in seconds.')),
    schema: neutral(sqlName.optional().describe('Schema of `table`; the default schema of the server if absent.')),
    table: neutral(sqlName.optional().describe('A table or a view.')),
    query: neutral(query.optional().describe('A single SELECT, instead of `table`.')),
    key: neutral(sqlName.optional().describe('An indexed unique column that never changes. Default: `external_id`.')),
    changed_at: neutral(sqlName.optional()),
    overlap_seconds: neutral(
      z
        .int()
        .min(0)
        .max(604_800)
        .default(600)
        .describe(
          'Overlap of incremental reads in seconds. Must be longer than the longest transaction that writes rows.',
        ),
    ),
    deleted: neutral(sqlName.optional().describe('The column that marks deleted rows: true, not 0, or not NULL.')),
    deleted_values: neutral(
      z.array(text.max(256)).min(1).max(20).optional().describe('The values of `deleted` that mark a deleted row.'),
    ),
    ...mapping,
  })
  .refine((config) => (config.table === undefined) !== (config.query === undefined), {
    error: 'must name either a table or a query',
    path: ['table'],
  })
  .refine((config) => config.schema === undefined || config.table !== undefined, {
    error: 'requires table',
    path: ['schema'],
  })
  .refine((config) => config.ssl !== 'verify_ca' || config.ca !== undefined, {
    error: 'is required if ssl is verify_ca',
    path: ['ca'],
  })
  .refine((config) => config.deleted_values === undefined || config.deleted !== undefined, {
    error: 'requires deleted',
    path: ['deleted_values'],
  });
export type SqlConfig = z.infer<typeof sqlConfig>;

const secrets = z.strictObject({ password: secret(text.min(1).max(1024)) });

export const sql = defineConnector({ config: sqlConfig, secrets, reportsChanges: 'depends' });
