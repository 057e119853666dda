import { createHash } from 'node:crypto';
import { deletedStatus, type RecordKind } from '@idsync/contracts';
import { attributeTerm, departmentTerm, groupTerm } from '../../directory/list-terms.js';

/** Names a statement by the parts that differ. PostgreSQL compares 63 characters. */
export function nameOf(...parts: readonly (string | number | false | undefined)[]): string {
  const name = parts.filter((part) => part !== false && part !== undefined).join('-');
  return name.length <= 63 ? name : createHash('sha256').update(name).digest('base64url');
}

/** Filters of the lists of accounts and machine identities. */
export interface RecordFilter {
  /** The connector whose records are listed. */
  sourceId?: string;
  /** Accounts: whether an identity is linked. */
  isMatched?: boolean;
  /** Machine identities. */
  classification?: string;
  minRisk?: number;
  maxRisk?: number;
  ownerId?: string;
  /** The highest risk first; machine identities without a score are last. */
  byRisk?: boolean;
}

/** The order of the index of risks: an ascending one, because the positions of a page are compared as a row. */
export const riskOrder = `coalesce(- (machine -> 'risk' ->> 'score')::numeric, 1)`;

export interface Condition {
  name: string;
  sql: string;
  /** True if it compares columns that the indexes of accounts and machine identities have. */
  isOfIndex?: boolean;
}

type Filtered = RecordFilter & { status?: string; updatedSince?: Date };

/** Returns the conditions of a list on the columns of its table. Their names identify the prepared statement. */
export function conditionsOf(resource: 'identity' | RecordKind, query: Filtered, value: Value): Condition[] {
  const hidden = resource === 'identity' ? 'deleted' : deletedStatus[resource];
  const conditions: Condition[] = [];
  const add = (name: string, sql: string, isOfIndex = false) => conditions.push({ name, sql, isOfIndex });
  if (resource !== 'identity') add(resource, `kind = '${resource}'`, true);
  // Users are filtered by the records of their identity.
  if (resource !== 'identity' && resource !== 'user' && query.sourceId !== undefined) {
    // Not `=`: PostgreSQL drops a constant column from the order, and could then choose another index.
    const source = value(query.sourceId);
    add('source', `connector_id >= ${source} and connector_id <= ${source}`, true);
  }
  if (query.status === undefined) add('any', `status <> '${hidden}'`, true);
  else add('status', `status = ${value(query.status)}`, true);
  if (query.updatedSince) add('since', `updated_at >= ${value(query.updatedSince)}`, true);
  if (query.isMatched !== undefined) {
    if (query.isMatched) add('matched', 'identity_id is not null');
    else add('unmatched', 'identity_id is null', true);
  }
  if (query.classification !== undefined) {
    add('class', `coalesce(fields -> 'classification' ->> 0, 'unknown') = ${value(query.classification)}`);
  }
  const risk = `(machine -> 'risk' ->> 'score')::numeric`;
  if (query.minRisk !== undefined) add('min', `${risk} >= ${value(query.minRisk)}`);
  if (query.maxRisk !== undefined) add('max', `${risk} <= ${value(query.maxRisk)}`);
  if (query.ownerId !== undefined) add('owned', `machine -> 'people' ->> 'owned_by' = ${value(query.ownerId)}`);
  return conditions;
}

/** Filters of users and identities that many of them may fulfil. */
export interface SharedFilter {
  department?: string;
  /** Custom attributes by name. */
  attributes?: Readonly<Record<string, string>>;
  /** Identity of the manager. */
  managerId?: string;
  /** The connector that has a record. */
  sourceId?: string;
  groupId?: string;
}

/** Adds a parameter to a statement, and returns its place. */
export type Value = (item: unknown) => string;

/** A filter as a condition. */
export interface RecordMatch {
  /** Identifies the statement. */
  name: string;
  /** Returns the condition on a row of `source_records`. */
  matches: (record: string) => string;
  /** True if it finds an identity by a deleted record too. */
  ofDeleted?: boolean;
}

/** A filter that many may fulfil. */
export interface Shared extends RecordMatch {
  /** Selects `id` and `created_at` of all records that fulfil it: one index range, in creation order. */
  rows: string;
  /** True if the condition needs only `id` and `created_at`. */
  isTerm: boolean;
}

export function isFiltered({ department, attributes, managerId, sourceId, groupId }: SharedFilter): boolean {
  return (
    [department, managerId, sourceId, groupId].some((each) => each !== undefined) ||
    Object.keys(attributes ?? {}).length > 0
  );
}

/** Returns the filters in a fixed order, which the position of a cursor refers to. */
export function sharedFiltersOf(
  { department, attributes = {}, managerId, sourceId, groupId }: SharedFilter,
  value: Value,
): Shared[] {
  const filters: Shared[] = [];
  if (managerId !== undefined) {
    const id = value(managerId);
    const redirect = `select into_id from identity_redirects where tenant_id = $1 and id = ${id}`;
    // A subquery is a constant for the planner; a bare `coalesce` is no index condition under row-level security.
    filters.push(ofColumn('manager', 'manager_id', `(select coalesce((${redirect}), ${id}))`));
  }
  for (const name of Object.keys(attributes).sort()) {
    filters.push(ofTerm('attribute', value(attributeTerm(name, attributes[name] ?? '') ?? '')));
  }
  if (groupId !== undefined) filters.push(ofTerm('group', value(groupTerm(groupId))));
  if (department !== undefined) filters.push(ofTerm('department', value(departmentTerm(department) ?? '')));
  if (sourceId !== undefined) filters.push(ofColumn('source', 'connector_id', value(sourceId)));
  return filters;
}

function ofColumn(name: string, column: string, given: string): Shared {
  return {
    name,
    // The index of a source has the condition on the time.
    rows: `select id, created_at from source_records
            where tenant_id = $1 and created_at > '-infinity' and ${column} = ${given}`,
    matches: (record) => `${record}.${column} = ${given}`,
    isTerm: false,
  };
}

function ofTerm(name: string, term: string): Shared {
  const rows = `select record_id as id, created_at from list_terms where tenant_id = $1 and term = ${term}`;
  return {
    name,
    rows,
    // `offset 0` keeps it a lookup by the whole key, where a join may read all records of the term.
    matches: (record) => `exists (${rows} and created_at = ${record}.created_at and record_id = ${record}.id offset 0)`,
    isTerm: true,
  };
}

/** Returns the condition that an identity with this id fulfils a filter by one of its records. */
export function recordCondition(
  identity: string,
  { name, matches, ofDeleted }: RecordMatch,
  status: string | undefined,
): Condition {
  return {
    name: `${name}${status === 'deleted' ? '-deleted' : ''}`,
    sql: `exists (${recordsOf(identity, matches, ofDeleted ? 'deleted' : status)})`,
  };
}

/**
 * Selects an identity's records that fulfil a filter. A deleted record counts only for a deleted identity, which a list
 * has only if `status` asks for it, so the identity is not read. `$1` is the tenant. `offset 0` keeps the index lookup
 * apart, because another index may seem as good in a table without statistics.
 */
export function recordsOf(
  identity: string,
  matches: (record: string) => string,
  status: string | undefined,
  more = '',
): string {
  return `select from (select * from source_records where tenant_id = $1 and identity_id = ${identity} offset 0) as own
           where ${counts('own.status', status)} and ${matches('own')}${more} offset 0`;
}

/**
 * Returns whether a record with this status counts in a list of identities with the given status, by default of all.
 */
export function counts(recordStatus: string, status: string | undefined): string {
  return status === 'deleted' ? 'true' : `${recordStatus} not in ('deleted', 'decommissioned')`;
}
