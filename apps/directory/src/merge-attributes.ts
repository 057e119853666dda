import { encodeId, matchingKeys } from '@idsync/contracts';
import type { ConnectorInfo, StoredRecord } from '@idsync/database/directory';
import { primaryEmployments } from './primary-employments.js';
import type { Ranking } from './rank-sources.js';

/** One candidate for one attribute, as in the API. */
export interface Attribute {
  identity_id: string;
  field_name: string;
  field_value: string;
  source_type: string;
  source_id: string;
  priority: number;
  updated_at: string;
}

const personFields = new Set<string>([
  ...matchingKeys,
  'display_name',
  'first_name',
  'last_name',
  'job_title',
  'hire_date',
  'termination_date',
]);
const freePrefix = 'attributes.';

/**
 * Returns all candidates by field, the winner first: the lower priority number, then the newer value, then the lower
 * source id. A field with several values in one record has one candidate per value. Of several users of one source only
 * the primary employment has candidates, because fields that only an earlier contract has, such as a termination date,
 * are not values of the person.
 */
export function mergeAttributes(
  identityId: string,
  records: readonly StoredRecord[],
  connectors: ReadonlyMap<string, ConnectorInfo>,
  rankOf: Ranking,
): Attribute[] {
  const publicId = encodeId('identity', identityId);
  const inOrder = [...contributors(records)].sort((a, b) => order(a.externalId, b.externalId));
  const candidates = inOrder.flatMap((record) => {
    const connector = connectors.get(record.connectorId);
    const sourceId = encodeId('connector', record.connectorId);
    return Object.entries(record.fields).flatMap(([field, values]) => {
      const name = attributeName(field);
      if (name === undefined) return [];
      return values.map((value) => ({
        identity_id: publicId,
        field_name: name,
        field_value: value,
        source_type: connector?.type ?? 'unknown',
        source_id: sourceId,
        priority: rankOf(record.connectorId, name),
        updated_at: record.changedAt[field] ?? record.createdAt.toISOString(),
      }));
    });
  });
  return candidates.sort(byFieldThenRank);
}

/** Returns the winner of each field. */
export function winners(attributes: readonly Attribute[]): Map<string, Attribute> {
  const first = new Map<string, Attribute>();
  for (const attribute of attributes) {
    if (!first.has(attribute.field_name)) first.set(attribute.field_name, attribute);
  }
  return first;
}

/** Machines contribute attributes only to an identity without users and accounts. */
function contributors(records: readonly StoredRecord[]): readonly StoredRecord[] {
  const people = records.filter((record) => record.kind !== 'machine_identity');
  return people.length > 0 ? primaryEmployments(people) : records;
}

function attributeName(field: string): string | undefined {
  if (field.startsWith(freePrefix)) return field.slice(freePrefix.length);
  return personFields.has(field) ? field : undefined;
}

function byFieldThenRank(a: Attribute, b: Attribute): number {
  return (
    order(a.field_name, b.field_name) ||
    a.priority - b.priority ||
    order(b.updated_at, a.updated_at) ||
    order(a.source_id, b.source_id)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
