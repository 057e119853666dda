import { z } from 'zod';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { mapping } from './field-map.js';
import { neutral, target } from './field-marks.js';
import { authorities, httpAuth, httpSecrets, sourceUrl } from './http-source.js';
import { refuseSecretAttributes } from './secret-attributes.js';

/** The location of a file: in the sources folder of the sync-worker, or at a URL. */
const place = {
  path: target(
    text
      .min(1)
      .max(1024)
      .optional()
      .describe('Path relative to the folder of the tenant in SOURCES_DIR, or to SOURCES_DIR if all tenants share it.'),
  ),
  url: target(sourceUrl.optional().describe('URL from which the file is downloaded, instead of `path`.')),
  auth: target(httpAuth.optional()),
  ca: target(authorities.optional()),
};
export type FilePlace = z.infer<z.ZodObject<typeof place>>;

const hasOnePlace = ({ path, url }: FilePlace) => (path === undefined) !== (url === undefined);
const onePlace = { error: 'must have either path or url' };

/** Encodings of CSV files. A byte order mark takes precedence over the configured one. */
const fileEncodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  ...(['1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257', '1258'] as const).map(
    (page) => `windows-${page}` as const,
  ),
  ...(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '13', '14', '15', '16'] as const).map(
    (part) => `iso-8859-${part}` as const,
  ),
  'cp437',
  'cp850',
  'cp852',
  'cp866',
  'macintosh',
  'koi8-r',
  'koi8-u',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
] as const;
export type FileEncoding = (typeof fileEncodings)[number];

/** `external_id` is the column with the permanent id of a record. */
export const csvConfig = z
  .strictObject({
    ...place,
    ...mapping,
    delimiter: neutral(
      text
        .length(1)
        .optional()
        .describe('Character between two cells, `,` by default. A `sep=` line takes precedence.'),
    ),
    encoding: neutral(
      z
        .enum(fileEncodings, { error: `must be one of ${fileEncodings.join(', ')}` })
        .optional()
        .describe('Encoding of the file, `utf-8` by default. A byte order mark takes precedence.'),
    ),
    list_separator: neutral(text.length(1).optional()),
  })
  .refine(hasOnePlace, onePlace);
export type CsvConfig = z.infer<typeof csvConfig>;

/** `external_id` is an attribute or `dn`. Without `object_class`, people are read, but no containers and groups. */
const ldifConfig = z
  .strictObject({ ...place, ...mapping, object_class: neutral(text.min(1).max(256).optional()) })
  .refine(hasOnePlace, onePlace)
  .superRefine(refuseSecretAttributes);
export type LdifConfig = z.infer<typeof ldifConfig>;

/** `external_id` and `fields` are paths in the object of a line, such as `name.given` or `emails[type=work].value`. */
export const jsonlConfig = z.strictObject({ ...place, ...mapping }).refine(hasOnePlace, onePlace);
export type JsonlConfig = z.infer<typeof jsonlConfig>;

const ofFiles = { secrets: httpSecrets, reportsChanges: 'depends' } as const;
export const csv = defineConnector({ config: csvConfig, ...ofFiles });
export const ldif = defineConnector({ config: ldifConfig, ...ofFiles });
export const jsonl = defineConnector({ config: jsonlConfig, ...ofFiles });
