import { z } from 'zod';
import { machineClassifications, matchingKeys, personStatuses, recordFields } from '../fixed-values.js';
import { attributeFieldPattern, attributePrefix } from '../records.js';
import { text } from '../text.js';
import { parsedText } from './query-parameters.js';
import {
  cursor,
  dateTime,
  digits,
  exact,
  maxChangesOffset,
  oneOf,
  page,
  status,
  updatedSince,
} from './request-parts.js';

export const identityQuery = z.object({
  at: dateTime
    .optional()
    .describe(
      'Returns the identity as it was at this time; 404 if it did not exist yet, 400 if the time is in the future. The answer stays the same until the person is erased or purged.',
    ),
});
export const historyQuery = z.object({ ...page, updated_since: updatedSince, cursor });
/** Letters of a text search; fewer match too many people. */
const searchText = text
  .max(200)
  .refine((value) => (value.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2, {
    error: 'must have at least two letters or digits',
  })
  .register(parsedText, { type: 'string', minLength: 2, maxLength: 200 })
  .optional()
  .describe(
    'Only items whose name has words that begin with each of these words, or whose address, number or login begins with this text. If there are none, each word of at least four letters may have one typo; not together with another of these filters.',
  );
const own = 'Case and accents are ignored. An identity is found by the values of all of its records.';
/** Filters that find the records of a person. */
const filters = {
  q: searchText,
  email: exact(`Only items with this email address. ${own}`),
  employee_number: exact(`Only items with this employee number. ${own}`),
  user_principal_name: exact(`Only items with this user principal name. ${own}`),
  external_id: text.min(1).max(1024).optional().describe('Only the record with this id in the source `connector_id`.'),
  connector_id: exact('The source of `external_id`.'),
};
const anchorRule = {
  path: ['external_id'],
  error: 'must be given together with connector_id',
};
const isAnchor = (query: { external_id?: string; connector_id?: string }) =>
  (query.external_id === undefined) === (query.connector_id === undefined);
const searching = ['q', 'email', 'employee_number', 'user_principal_name', 'external_id'];
const hasOne = (query: object, names: readonly string[]) =>
  names.some((name) => query[name as keyof typeof query] !== undefined);
/** A search examines some records only, so its order is fixed. */
const isSortable = (query: { sort?: string }) => query.sort === undefined || !hasOne(query, searching);

/** Attributes that one list can be filtered by. */
export const maxAttributeFilters = 5;
const shared = ['department', 'manager_id', 'source', 'group', 'attributes'];

const attributeValue = text.trim().min(1).max(512);

/** Collects the query parameters `attributes.<name>`, whose names and values it checks. */
function collectAttributes(query: Record<string, unknown>, context: z.core.ParsePayload): Record<string, unknown> {
  const { attributes: _, ...others } = query;
  const given = Object.entries(query).filter(([name]) => name.startsWith(attributePrefix));
  if (given.length === 0) return others;
  const add = (name: string, message: string) =>
    context.issues.push({ code: 'custom', input: query, path: [name.slice(0, 100)], message });
  if (given.length > maxAttributeFilters) {
    add('attributes', `must be at most ${maxAttributeFilters} filters, got ${given.length}`);
  }
  const found = given.map(([field, value]): [string, unknown] => {
    const name = field.slice(attributePrefix.length);
    if (!attributeFieldPattern.test(field)) add(field, `must match ${attributeFieldPattern.source}`);
    else if (isField(name)) add(field, 'must be a custom attribute, not a field of users');
    const result = attributeValue.safeParse(value);
    const [issue] = result.error?.issues ?? [];
    if (issue) add(field, issue.message);
    return [name, result.data];
  });
  return { ...others, attributes: Object.fromEntries(found) };
}

const { text: textFields, list: listFields, date: dateFields } = recordFields.user;
const isField = (name: string) =>
  ([...matchingKeys, ...textFields, ...listFields, ...dateFields] as readonly string[]).includes(name);

const maxOffset = (offset: number, what: string) =>
  `must be at most ${maxChangesOffset} with ${what}, got ${offset}: use cursor instead`;
/** A list with one of these filters examines all that it skips. */
const isWithinOffset = (filters: readonly string[]) => (query: { cursor?: string | undefined; offset: number }) =>
  query.cursor !== undefined || query.offset <= maxChangesOffset || !hasOne(query, filters);
const offsetRule = {
  path: ['offset'],
  error: ({ input }: { input: unknown }) => maxOffset((input as { offset: number }).offset, 'this filter'),
};
const attributes = z
  .record(z.string(), z.string())
  .register(parsedText, {
    type: 'object',
    patternProperties: { [attributeFieldPattern.source]: { type: 'string', minLength: 1, maxLength: 512 } },
    additionalProperties: false,
  })
  .optional()
  .describe(
    `Only items with this value of a custom attribute, for example \`attributes.cost_center=4711\`; at most ${maxAttributeFilters} attributes. ${own}`,
  );
/** Parameters of every list of records. */
const listOf = <const Statuses extends readonly [string, ...string[]]>(statuses: Statuses) => ({
  ...page,
  status: status(statuses),
  updated_since: updatedSince,
  cursor,
  ...filters,
});
const listQuery = z
  .object({
    ...listOf(personStatuses),
    department: exact(`Only items in this department. ${own}`),
    attributes,
    manager_id: exact('Only people whose manager is this identity.'),
    source: exact('Only items with a record in this source: the id of a connector.'),
    group: exact('Only members of this group.'),
  })
  .refine(isAnchor, anchorRule)
  .refine((query) => !query.updated_since || query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'updated_since'),
  })
  .refine(isWithinOffset([...searching, ...shared]), offsetRule);
export const directoryQuery = z.preprocess<unknown, typeof listQuery>(
  (query, context) => collectAttributes(query as Record<string, unknown>, context),
  listQuery,
);
export type DirectoryQuery = z.infer<typeof directoryQuery>;

/** Of the members of a group, which is a filter too. */
export const memberQuery = z
  .object({ ...page, status: status(personStatuses), updated_since: updatedSince, cursor })
  .refine((query) => query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'this list'),
  });
export const groupQuery = z
  .object({
    ...page,
    cursor,
    source: exact('Only groups of this source: the id of a connector.'),
    name: text.min(1).max(1024).optional().describe('Only the group with exactly this name; together with `source`.'),
  })
  .refine((query) => query.name === undefined || query.source !== undefined, {
    path: ['name'],
    error: 'must be given together with source',
  });

const truth = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .register(parsedText, { type: 'boolean' })
  .transform((value) => value === 'true');
export const accountQuery = z
  .object({
    ...listOf(recordFields.account.status),
    source: exact('Only accounts of this source: the id of a connector.'),
    matched: truth.optional().describe('`false`: only accounts that are linked to no identity.'),
  })
  .refine(isAnchor, anchorRule)
  .refine(isWithinOffset(searching), offsetRule);
const score = (description: string) =>
  digits('must be an integer of at least 0', { maximum: 100 })
    .refine((value) => value <= 100, 'must be at most 100')
    .optional()
    .describe(description);
export const machineQuery = z
  .object({
    ...listOf(recordFields.machine_identity.status),
    source: exact('Only machine identities of this source: the id of a connector.'),
    classification: oneOf(machineClassifications, 'Only machine identities of this classification.'),
    owned_by: exact('Only machine identities for which this identity is responsible now.'),
    min_risk: score('Only machine identities with at least this risk score.'),
    max_risk: score('Only machine identities with at most this risk score.'),
    sort: z
      .enum(['risk'], { error: 'must be risk' })
      .optional()
      .describe(
        '`risk`: the highest risk first. Not together with `q`, `email`, `employee_number`, `user_principal_name` or `external_id`. By default, the oldest first.',
      ),
  })
  .refine(isAnchor, anchorRule)
  .refine(isWithinOffset(searching), offsetRule)
  .refine(isSortable, {
    path: ['sort'],
    error: `cannot be combined with ${searching.slice(0, -1).join(', ')} or ${searching.at(-1)}`,
  });
/** A query of any list of the directory. */
export type ListQuery = DirectoryQuery | z.infer<typeof accountQuery> | z.infer<typeof machineQuery>;

export const triggerBody = z.object({
  connector_id: text.min(1),
  idempotency_key: text.min(1).max(255).optional(),
});
