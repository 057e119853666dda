import { machineClassifications, personStatuses, recordFields } from '../fixed-values.js';
import { attributeFieldPattern } from '../records.js';
import { maxAttributeFilters } from './requests.js';
import { choice, page, type QueryParameter, textParameter, timeParameter } from './route.js';

export const cursor = textParameter(
  'cursor',
  'Opaque; empty for the first page, then the `next_cursor` of the previous page. Replaces `offset`.',
);
export const updatedSince = timeParameter(
  'updated_since',
  'Only items that changed at this time or later; `total` counts only these. Times follow the order of commits: a client that requests changes since the greatest time it has received misses none. In lists of identities and users, `offset` is then limited to 10000: use `cursor` to read on.',
);

const filter = (name: string, description: string, maxLength = 512): QueryParameter => ({
  name,
  description,
  schema: { type: 'string', minLength: 1, maxLength },
});
const status = (values: readonly string[]) =>
  choice('status', 'Only items in this status. By default, deleted items are excluded.', values);
const own = 'Case and accents are ignored. An identity is found by the values of all of its records.';
const found: QueryParameter[] = [
  {
    name: 'q',
    description:
      'Only items whose name has words that begin with each of these words, or whose address, number or login begins with this text. If there are none, each word of at least four letters may have one typo; not together with another of these filters.',
    schema: { type: 'string', minLength: 2, maxLength: 200 },
  },
  filter('email', `Only items with this email address. ${own}`),
  filter('employee_number', `Only items with this employee number. ${own}`),
  filter('user_principal_name', `Only items with this user principal name. ${own}`),
  filter('external_id', 'Only the record with this id in the source `connector_id`.', 1_024),
  filter('connector_id', 'The source of `external_id`.'),
];
const list = (values: readonly string[]): QueryParameter[] => [...page, status(values), updatedSince, cursor, ...found];
const risk = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0, maximum: 100 },
});

const attributes: QueryParameter = {
  name: 'attributes',
  description: `Only items with this value of a custom attribute, for example \`attributes.cost_center=4711\`; at most ${maxAttributeFilters} attributes. ${own}`,
  schema: {
    type: 'object',
    patternProperties: { [attributeFieldPattern.source]: { type: 'string', minLength: 1, maxLength: 512 } },
    additionalProperties: false,
  },
  properties: { pattern: attributeFieldPattern, shown: 'attributes.<name>' },
};

/** Query parameters of the lists of identities and users. */
export const directoryParameters: QueryParameter[] = [
  ...list(personStatuses),
  filter('department', `Only items in this department. ${own}`),
  attributes,
  filter('manager_id', 'Only people whose manager is this identity.'),
  filter('source', 'Only items with a record in this source: the id of a connector.'),
  filter('group', 'Only members of this group.'),
];
export const memberParameters: QueryParameter[] = [...page, status(personStatuses), updatedSince, cursor];
export const groupParameters: QueryParameter[] = [
  ...page,
  cursor,
  filter('source', 'Only groups of this source: the id of a connector.'),
  filter('name', 'Only the group with exactly this name; together with `source`.', 1_024),
];
export const accountParameters: QueryParameter[] = [
  ...list(recordFields.account.status),
  filter('source', 'Only accounts of this source: the id of a connector.'),
  {
    name: 'matched',
    description: '`false`: only accounts that are linked to no identity.',
    schema: { type: 'boolean' },
  },
];
export const machineParameters: QueryParameter[] = [
  ...list(recordFields.machine_identity.status),
  filter('source', 'Only machine identities of this source: the id of a connector.'),
  choice('classification', 'Only machine identities of this classification.', machineClassifications),
  filter('owned_by', 'Only machine identities for which this identity is responsible now.'),
  risk('min_risk', 'Only machine identities with at least this risk score.'),
  risk('max_risk', 'Only machine identities with at most this risk score.'),
  choice(
    'sort',
    '`risk`: the highest risk first. Not together with `q`, `email`, `employee_number`, `user_principal_name` or `external_id`. By default, the oldest first.',
    ['risk'],
  ),
];
