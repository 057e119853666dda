import { encodeId, type RecordKind, recordKinds, volumeLimits } from '@idsync/contracts';
import type { StoredIdentity, StoredRecord } from '@idsync/database/directory';
import { isDeleted } from '../matching/record-keys.js';
import type { Attribute } from './merge-attributes.js';

/**
 * Renders the public JSON of an identity. Embeds the stored documents of its records without parsing them. Items beyond
 * the size limit are omitted and counted in `left_out`.
 */
export function renderIdentity(
  identity: Omit<StoredIdentity, 'document'>,
  attributes: readonly Attribute[],
  records: readonly StoredRecord[],
): string {
  const head = JSON.stringify({
    id: encodeId('identity', identity.id),
    display_name: identity.displayName,
    status: identity.status,
    created_at: identity.createdAt.toISOString(),
    updated_at: identity.updatedAt.toISOString(),
  });
  const { text: shown, leftOut: hidden } = shownAttributes(attributes);
  const nested = shownRecords(records);
  const leftOut: [string, number][] = [['attributes', hidden]];
  const lists = recordKinds.map((kind) => {
    const all = records.filter((record) => record.kind === kind);
    const some = nested === undefined ? all : all.filter((record) => nested.has(record.id));
    leftOut.push([listNames[kind], all.length - some.length]);
    return `"${listNames[kind]}":[${some
      .sort(byAge)
      .map(({ document }) => document)
      .join(',')}]`;
  });
  const counts = Object.fromEntries(leftOut.filter(([, count]) => count > 0));
  const rest = Object.keys(counts).length > 0 ? `,"left_out":${JSON.stringify(counts)}` : '';
  return `${head.slice(0, -1)},"attributes":${shown},${lists.join(',')}${rest}}`;
}

/** Names of the lists of records in a document. */
export const listNames: Record<RecordKind, string> = {
  user: 'users',
  account: 'accounts',
  machine_identity: 'machine_identities',
};

/**
 * Returns attributes as a JSON array in their order. If they exceed the limit, the winners of all fields are kept before any
 * second candidate, and so on.
 */
function shownAttributes(attributes: readonly Attribute[]): { text: string; leftOut: number } {
  const all = JSON.stringify(attributes);
  // The limit counts a comma after each attribute, and no brackets.
  if (Buffer.byteLength(all) - 1 <= volumeLimits.attributeBytes) return { text: all, leftOut: 0 };
  const texts = attributes.map((attribute) => JSON.stringify(attribute));
  const ranks = new Map<string, number>();
  const places = attributes.map(({ field_name }, place) => {
    const rank = ranks.get(field_name) ?? 0;
    ranks.set(field_name, rank + 1);
    return { place, rank };
  });
  places.sort((a, b) => a.rank - b.rank || a.place - b.place);
  const fitting = takeFitting(places, ({ place }) => texts[place] ?? '', volumeLimits.attributeBytes);
  const shown = fitting
    .map(({ place }) => place)
    .sort((a, b) => a - b)
    .map((place) => texts[place] ?? '');
  return { text: `[${shown.join(',')}]`, leftOut: attributes.length - shown.length };
}

/**
 * Returns the ids of the embedded records, or undefined for all. Preference: not deleted, then users, accounts,
 * machines, then age.
 */
function shownRecords(records: readonly StoredRecord[]): Set<string> | undefined {
  // With a comma after each.
  const bytes = records.reduce((sum, { document }) => sum + Buffer.byteLength(document) + 1, 0);
  if (bytes <= volumeLimits.nestedBytes) return undefined;
  const rank = (record: StoredRecord) =>
    recordKinds.indexOf(record.kind) + (isDeleted(record) ? recordKinds.length : 0);
  const inOrder = [...records].sort((a, b) => rank(a) - rank(b) || byAge(a, b));
  return new Set(takeFitting(inOrder, ({ document }) => document, volumeLimits.nestedBytes).map(({ id }) => id));
}

function takeFitting<Item>(items: readonly Item[], textOf: (item: Item) => string, maxBytes: number): Item[] {
  let left = maxBytes;
  return items.filter((item) => {
    const bytes = Buffer.byteLength(textOf(item)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}

function byAge(a: StoredRecord, b: StoredRecord): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

/**
 * Returns the winning display name, or the first and last name if sources of higher precedence list them; else an
 * identifier.
 */
export function displayNameOf(
  winners: ReadonlyMap<string, Attribute>,
  records: readonly StoredRecord[],
): string | undefined {
  const value = (field: string) => winners.get(field)?.field_value;
  const shown = winners.get('display_name');
  const parts = [winners.get('first_name'), winners.get('last_name')];
  // HR knows a new surname before the display name of another source changes.
  const precede = parts.every((part) => part && shown && part.priority < shown.priority);
  if (shown && !precede) return shown.field_value;
  const names = parts.flatMap((part) => part?.field_value ?? []).join(' ');
  const identifiers = ['email', 'user_principal_name', 'employee_number'].flatMap((field) => value(field) ?? []);
  return names || (identifiers[0] ?? records.map((record) => record.externalId).sort()[0]);
}
