import {
  attributePrefix,
  compareEmployments,
  countingEmployments,
  employmentFields,
  encodeId,
  type PersonStatus,
  personFields,
  type RankedEmployment,
} from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { rankedUser } from '../lifecycle/derive-status.js';
import type { Precedence } from '../lifecycle/rank-sources.js';
import { isGone } from '../matching/record-keys.js';
import { compareTexts } from '../shared/collections.js';

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

/**
 * Returns all candidates by field, the winner first: the lower priority number, then the newer value, then the lower
 * source id. A field with several values in one record has one candidate per value. Of several users of one source only
 * the primary employment has candidates, because fields that only an earlier contract has, such as a termination date,
 * are not values of the person. Of several sources of employments only the one that decides has candidates for the
 * fields of an employment. A record that its source has deleted has candidates only for fields that no other
 * record has.
 */
export function mergeAttributes(
  identityId: string,
  records: readonly StoredRecord[],
  precedence: Precedence,
): Attribute[] {
  const { connectors, rankOf } = precedence;
  const publicId = encodeId('identity', identityId);
  const inOrder = [...contributors(records)].sort((a, b) => compareTexts(a.externalId, b.externalId));
  const kept = inOrder.some(isGone) ? namesOf(inOrder.filter((record) => !isGone(record))) : undefined;
  const silent = silentEmployments(inOrder, precedence);
  const candidates: Attribute[] = [];
  for (const record of inOrder) {
    const sourceType = connectors.get(record.connectorId)?.type ?? 'unknown';
    const sourceId = encodeId('connector', record.connectorId);
    const createdAt = record.createdAt.toISOString();
    const isSuperseded = isGone(record) ? kept : undefined;
    for (const { field, name, values } of attributesOf(record)) {
      if (isSuperseded?.has(name) || (silent.has(record) && employmentFields.includes(name))) continue;
      const priority = rankOf(record.connectorId, name);
      for (const value of values) {
        candidates.push({
          identity_id: publicId,
          field_name: name,
          field_value: value,
          source_type: sourceType,
          source_id: sourceId,
          priority,
          updated_at: record.changedAt[field] ?? createdAt,
        });
      }
    }
  }
  return candidates.sort(byFieldThenRank);
}

/** Returns the users of employments that do not decide: their dates are not those of the person. */
function silentEmployments(users: readonly StoredRecord[], precedence: Precedence): Set<StoredRecord> {
  // Most people of an import.
  if (users.length === 1) return new Set();
  const ranked = users
    .filter(({ kind }) => kind === 'user')
    .map((record) => ({ record, isListed: !isGone(record), ...rankedUser(record, precedence) }));
  const employments = ranked.filter(({ isEmployment }) => isEmployment);
  if (employments.length < 2) return new Set();
  const listed = employments.filter(({ isListed }) => isListed);
  const [deciding] = countingEmployments(listed.length > 0 ? listed : employments).sort(
    (a, b) => a.statusRank - b.statusRank || (precedes(a.record, b.record) ? -1 : 1),
  );
  return new Set(employments.flatMap((each) => (each === deciding ? [] : each.record)));
}

function namesOf(records: readonly StoredRecord[]): Set<string> {
  return new Set(records.flatMap((record) => attributesOf(record).map(({ name }) => name)));
}

/** The fields of a record that are attributes, with the names of these. */
function attributesOf(record: StoredRecord): { field: string; name: string; values: readonly string[] }[] {
  return Object.entries(record.fields).flatMap(([field, values]) => {
    const name = attributeName(field);
    return name === undefined || values.length === 0 ? [] : [{ field, name, values }];
  });
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
  if (field.startsWith(attributePrefix)) return field.slice(attributePrefix.length);
  return personFields.has(field) ? field : undefined;
}

function byFieldThenRank(a: Attribute, b: Attribute): number {
  return (
    compareTexts(a.field_name, b.field_name) ||
    a.priority - b.priority ||
    compareTexts(b.updated_at, a.updated_at) ||
    compareTexts(a.source_id, b.source_id)
  );
}

/**
 * Returns the records without the users that are not the primary employment of their source. The primary employment is
 * the most active user of the source, then the one with the latest hire date, then the lowest external id.
 */
function primaryEmployments(records: readonly StoredRecord[]): StoredRecord[] {
  const primary = new Map<string, StoredRecord>();
  for (const record of records) {
    if (record.kind !== 'user') continue;
    const other = primary.get(record.connectorId);
    if (other === undefined || precedes(record, other)) primary.set(record.connectorId, record);
  }
  return records.filter((record) => record.kind !== 'user' || primary.get(record.connectorId) === record);
}

/** Returns true if the first of two users is rather the primary employment. */
function precedes(a: StoredRecord, b: StoredRecord): boolean {
  const compared = compareEmployments(employmentOfUser(a), employmentOfUser(b));
  return compared === 0 ? a.externalId < b.externalId : compared < 0;
}

function employmentOfUser({ status, fields }: StoredRecord): RankedEmployment {
  return { status: status as PersonStatus, hireDate: fields.hire_date?.[0] ?? '' };
}
