import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, ownMapping } from './field-map.js';
import { flag, neutral, secret, target } from './field-marks.js';
import { sourceUrl } from './http-source.js';

/** Configuration for users of a Google Workspace account. */
export const googleConfig = z.strictObject({
  subject: target(
    text.min(3).max(320).describe('Email address of the administrator on whose behalf the service account reads.'),
  ),
  customer: neutral(
    text.regex(/^[A-Za-z0-9_]{1,64}$/, { error: 'must be the id of a customer' }).default('my_customer'),
  ),
  query: neutral(text.min(1).max(1024).optional().describe('A search query. Only matching users are read.')),
  deleted: flag(false, 'Whether users deleted in the last twenty days are also read.'),
  url: target(sourceUrl.default('https://admin.googleapis.com')),
  ...ownMapping('id', 'Maps fields to paths of the resource, `@status` or `@groups`. Default: `googleFields`.'),
});
export type GoogleConfig = z.infer<typeof googleConfig>;

const secrets = z.strictObject({
  service_account_key: secret(text.min(1).max(16_384).describe('The JSON key file of a service account.')),
});

export const google = defineConnector({ config: googleConfig, secrets, reportsChanges: 'never' });

const person = {
  user_principal_name: 'primaryEmail',
  display_name: 'name.fullName',
  email: 'primaryEmail',
  first_name: 'name.givenName',
  last_name: 'name.familyName',
  job_title: 'organizations[primary=true].title',
  employee_number: 'externalIds[type=organization].value',
};

/**
 * The default mapping. There are no machine identities, because service accounts belong to Google Cloud and not to this
 * API.
 */
export const googleFields: Record<Exclude<RecordKind, 'machine_identity'>, FieldMap> = {
  user: {
    ...person,
    departments: 'organizations[].department',
    status: '@status',
    'attributes.org_unit': 'orgUnitPath',
  },
  account: {
    identifier: 'primaryEmail',
    ...person,
    status: '@status',
    'attributes.last_login_at': 'lastLoginTime',
    'attributes.is_admin': 'isAdmin',
    'attributes.second_factor': 'isEnrolledIn2Sv',
  },
};
