import { deletedStatus, type RecordKind } from '@idsync/contracts';

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
}

type Filtered = RecordFilter & { status?: string; updatedSince?: Date };

/** Returns the conditions of a list on the columns of its table. Their names identify the prepared statement. */
export function conditionsOf(
  resource: 'identity' | RecordKind,
  query: Filtered,
  value: (item: unknown) => string,
): Condition[] {
  const hidden = resource === 'identity' ? 'deleted' : deletedStatus[resource];
  const conditions: Condition[] = [];
  const add = (name: string, sql: string | false) => sql && conditions.push({ name, sql });
  if (resource !== 'identity') add(resource, `kind = '${resource}'`);
  // Users are filtered by the records of their identity.
  if (resource !== 'identity' && resource !== 'user' && query.sourceId !== undefined) {
    // Not `=`: PostgreSQL drops a constant column from the order, and could then choose another index.
    const source = value(query.sourceId);
    add('source', `connector_id >= ${source} and connector_id <= ${source}`);
  }
  if (query.status === undefined) add('any', `status <> '${hidden}'`);
  else add('status', `status = ${value(query.status)}`);
  if (query.updatedSince) add('since', `updated_at >= ${value(query.updatedSince)}`);
  if (query.isMatched !== undefined) {
    add(query.isMatched ? 'matched' : 'unmatched', `identity_id is ${query.isMatched ? 'not ' : ''}null`);
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
