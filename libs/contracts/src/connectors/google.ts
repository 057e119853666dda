import { z } from 'zod';
import type { RecordKind } from '../records.js';
import { text } from '../text.js';
import { type FieldMap, fieldMap, sourceName } from './field-map.js';
import { sourceUrl } from './http-source.js';

/** The users of a Google Workspace account. */
export const googleConfig = z.strictObject({
  subject: text.min(3).max(320).describe('The address of the administrator in whose name the service account reads.'),
  customer: text.regex(/^[A-Za-z0-9_]{1,64}$/, { error: 'must be the id of a customer' }).default('my_customer'),
  query: text.min(1).max(1024).optional().describe('Only the users that it finds are read.'),
  deleted: z.boolean().default(false).describe('Whether users deleted in the last twenty days are read, too.'),
  url: sourceUrl.default('https://admin.googleapis.com'),
  external_id: sourceName.default('id'),
  fields: fieldMap.optional().describe('Paths of the resource, `@status` or `@groups`; `googleFields` if absent.'),
});
export type GoogleConfig = z.infer<typeof googleConfig>;

export const googleSecrets = z.strictObject({
  service_account_key: text.min(1).max(16_384).describe('The JSON file of the key of a service account.'),
});

/** Where our fields come from if a mapping is not given. Machine identities are those of Google Cloud, which this API does not have. */
export const googleFields: Record<Exclude<RecordKind, 'machine_identity'>, FieldMap> = {
  user: {
    user_principal_name: 'primaryEmail',
    display_name: 'name.fullName',
    email: 'primaryEmail',
    first_name: 'name.givenName',
    last_name: 'name.familyName',
    job_title: 'organizations[primary=true].title',
    departments: 'organizations[].department',
    employee_number: 'externalIds[type=organization].value',
    status: '@status',
    'attributes.org_unit': 'orgUnitPath',
  },
  account: {
    identifier: 'primaryEmail',
    user_principal_name: 'primaryEmail',
    display_name: 'name.fullName',
    email: 'primaryEmail',
    first_name: 'name.givenName',
    last_name: 'name.familyName',
    job_title: 'organizations[primary=true].title',
    employee_number: 'externalIds[type=organization].value',
    status: '@status',
    'attributes.last_login_at': 'lastLoginTime',
    'attributes.is_admin': 'isAdmin',
    'attributes.second_factor': 'isEnrolledIn2Sv',
  },
};
