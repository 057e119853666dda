import { z } from 'zod';
import { machineClassifications, recordFields } from '../fixed-values.js';
import { attributeFieldPattern, attributePrefix, matchingKeys } from '../records.js';
import { text } from '../text.js';
import { cursor, exact, maxChangesOffset, page, since, status, wholeNumber } from './request-parts.js';

export const identityQuery = z.object({ at: since });
export const historyQuery = z.object({ ...page, updated_since: since, cursor });
/** Letters of a text search; fewer match too many people. */
const searchText = text
  .max(200)
  .refine((value) => (value.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2, {
    error: 'must have at least two letters or digits',
  })
  .optional();
/** Filters that find the records of a person. */
const filters = {
  q: searchText,
  email: exact,
  employee_number: exact,
  user_principal_name: exact,
  external_id: text.min(1).max(1024).optional(),
  connector_id: exact,
};
const anchorRule = {
  path: ['external_id'],
  error: 'must be given together with connector_id',
};
const isAnchor = (query: { external_id?: string; connector_id?: string }) =>
  (query.external_id === undefined) === (query.connector_id === undefined);
const searching = ['q', 'email', 'employee_number', 'user_principal_name', 'external_id'];
/** A search examines some records only, so its order is fixed. */
const isSortable = (query: { sort?: string }) =>
  query.sort === undefined || searching.every((name) => query[name as keyof typeof query] === undefined);

/** Attributes that one list can be filtered by. */
export const maxAttributeFilters = 5;
const shared = { department: exact, manager_id: exact, source: exact, group: exact };
const isShared = (query: object) =>
  ['department', 'manager_id', 'source', 'group', 'attributes'].some(
    (name) => query[name as keyof typeof query] !== undefined,
  );

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
    const result = exact.safeParse(value);
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
const listQuery = z
  .object({
    ...page,
    status,
    updated_since: since,
    cursor,
    ...filters,
    ...shared,
    attributes: z.record(z.string(), z.string()).optional(),
  })
  .refine(isAnchor, anchorRule)
  .refine((query) => !query.updated_since || query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'updated_since'),
  })
  .refine((query) => !isShared(query) || query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'this filter'),
  });
export const directoryQuery = z.preprocess<unknown, typeof listQuery>(
  (query, context) => collectAttributes(query as Record<string, unknown>, context),
  listQuery,
);
export type DirectoryQuery = z.infer<typeof directoryQuery>;

/** Of the members of a group, which is a filter too. */
export const memberQuery = z
  .object({ ...page, status, updated_since: since, cursor })
  .refine((query) => query.cursor !== undefined || query.offset <= maxChangesOffset, {
    path: ['offset'],
    error: ({ input }) => maxOffset((input as { offset: number }).offset, 'this list'),
  });
export const groupQuery = z
  .object({ ...page, cursor, source: exact, name: text.min(1).max(1024).optional() })
  .refine((query) => query.name === undefined || query.source !== undefined, {
    path: ['name'],
    error: 'must be given together with source',
  });

const truth = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true');
const oneOfStatuses = (values: readonly [string, ...string[]]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` }).optional();
export const accountQuery = z
  .object({
    ...page,
    status: oneOfStatuses(recordFields.account.status),
    updated_since: since,
    cursor,
    ...filters,
    source: exact,
    matched: truth.optional(),
  })
  .refine(isAnchor, anchorRule);
const score = wholeNumber(0)
  .refine((value) => value <= 100, 'must be at most 100')
  .optional();
export const machineQuery = z
  .object({
    ...page,
    status: oneOfStatuses(recordFields.machine_identity.status),
    updated_since: since,
    cursor,
    ...filters,
    source: exact,
    classification: z
      .enum(machineClassifications, { error: `must be one of ${machineClassifications.join(', ')}` })
      .optional(),
    owned_by: exact,
    min_risk: score,
    max_risk: score,
    sort: z.enum(['risk'], { error: 'must be risk' }).optional(),
  })
  .refine(isAnchor, anchorRule)
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
