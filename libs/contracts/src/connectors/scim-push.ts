import { z } from 'zod';
import { fieldMap } from './field-map.js';

/** Users and groups that an identity provider pushes to us by SCIM 2.0; they are records by their ids here. */
export const scimPushConfig = z.strictObject({
  fields: fieldMap
    .optional()
    .describe(
      'Paths of the pushed user; `groups[]` are the pushed groups it is in. What the standard says, if absent.',
    ),
});
export type ScimPushConfig = z.infer<typeof scimPushConfig>;

/** It calls nobody: who pushes has a token. */
export const scimPushSecrets = z.strictObject({});
