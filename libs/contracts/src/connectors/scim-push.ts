import { z } from 'zod';
import { defineConnector } from './connector-definition.js';
import { fieldMap } from './field-map.js';
import { neutral } from './field-marks.js';

/**
 * Configuration for users and groups that an identity provider pushes by SCIM 2.0. Records have the ids that idsync
 * assigns.
 */
const scimPushConfig = z.strictObject({
  fields: neutral(
    fieldMap
      .optional()
      .describe(
        'Maps fields to paths of the pushed user; `groups[]` contains its pushed groups. Default: the attributes of RFC 7643.',
      ),
  ),
});
export type ScimPushConfig = z.infer<typeof scimPushConfig>;

export const scimPush = defineConnector({
  config: scimPushConfig,
  secrets: z.strictObject({}),
  reportsChanges: 'always',
  isPushed: true,
});
