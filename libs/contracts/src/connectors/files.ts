import { z } from 'zod';
import { text } from '../text.js';
import { mapping } from './field-map.js';
import { authorities, httpAuth, sourceUrl } from './http-source.js';

/** Where a file is: below SOURCES_DIR, or at an address. */
const place = {
  path: text.min(1).max(1024).optional().describe('Relative to SOURCES_DIR.'),
  url: sourceUrl.optional().describe('Instead of `path`: where the file is downloaded from.'),
  auth: httpAuth.optional(),
  ca: authorities.optional(),
};
export interface FilePlace {
  path?: string | undefined;
  url?: string | undefined;
  auth?: z.infer<typeof httpAuth> | undefined;
  ca?: string | undefined;
}

const hasOnePlace = ({ path, url }: FilePlace) => (path === undefined) !== (url === undefined);
const onePlace = { error: 'must have either path or url' };

/** `external_id` names the column that identifies a record for ever. */
export const csvConfig = z
  .strictObject({
    ...place,
    ...mapping,
    delimiter: text.length(1).optional(),
    list_separator: text.length(1).optional(),
  })
  .refine(hasOnePlace, onePlace);
export type CsvConfig = z.infer<typeof csvConfig>;

/** `external_id` names an attribute or `dn`. Without `object_class`, people are read and containers and groups are not. */
export const ldifConfig = z
  .strictObject({ ...place, ...mapping, object_class: text.min(1).max(256).optional() })
  .refine(hasOnePlace, onePlace);
export type LdifConfig = z.infer<typeof ldifConfig>;

/** `external_id` and what is mapped are paths into the object of a line, such as `name.given` or `emails[type=work].value`. */
export const jsonlConfig = z.strictObject({ ...place, ...mapping }).refine(hasOnePlace, onePlace);
export type JsonlConfig = z.infer<typeof jsonlConfig>;
