import { z } from 'zod';
import type { RecordKind } from '../fixed-values.js';
import { text } from '../text.js';
import { defineConnector } from './connector-definition.js';
import { type FieldMap, ownMapping } from './field-map.js';
import { secret, target } from './field-marks.js';
import { sourceUrl } from './http-source.js';

/** Configuration for users of a JumpCloud organization. */
export const jumpcloudConfig = z.strictObject({
  url: target(
    sourceUrl
      .default('https://console.jumpcloud.com')
      .describe('`https://console.eu.jumpcloud.com` for organizations in the EU data center.'),
  ),
  organization_id: target(
    text
      .regex(/^[A-Za-z0-9]{1,64}$/, { error: 'must be the id of an organization' })
      .optional()
      .describe('The organization, if the administrator of the API key has several.'),
  ),
  ...ownMapping('_id', 'Maps fields to paths of the user or to `@status`. Default: `jumpcloudFields`.'),
});
export type JumpcloudConfig = z.infer<typeof jumpcloudConfig>;

const secrets = z.strictObject({ api_key: secret(text.min(1).max(1024)) });

export const jumpcloud = defineConnector({ config: jumpcloudConfig, secrets, reportsChanges: 'never' });

const person = {
  user_principal_name: 'username',
  display_name: 'displayname',
  email: 'email',
  first_name: 'firstname',
  last_name: 'lastname',
  job_title: 'jobTitle',
  employee_number: 'employeeIdentifier',
  status: '@status',
};

/** The default mapping. The API has no machine identities. */
export const jumpcloudFields: Record<Exclude<RecordKind, 'machine_identity'>, FieldMap> = {
  user: {
    ...person,
    departments: 'department',
    manager_id: 'manager',
    'attributes.location': 'location',
    'attributes.company': 'company',
    'attributes.employee_type': 'employeeType',
    'attributes.phone': 'phoneNumbers[type=work].number',
  },
  account: { identifier: 'username', ...person, 'attributes.password_changed_at': 'password_date' },
};
