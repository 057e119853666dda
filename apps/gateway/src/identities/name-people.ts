import { decodeId, resultLists } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findNames, type Names } from '@idsync/database/gateway';

type Item = Record<string, unknown>;

const nameFields = ['first_name', 'last_name', 'display_name'];

/**
 * Adds the names of the identities and records that a result lists, and the values that were compared. The
 * stored result has ids only, so that an erased person is not named.
 */
export async function namePeople(tx: Transaction, result: Record<string, unknown>): Promise<Record<string, unknown>> {
  const items = resultLists.flatMap((list) => itemsOf(result[list]));
  const all = [...items, ...items.flatMap(({ candidates }) => itemsOf(candidates))];
  const names = await findNames(tx, {
    identityIds: all.flatMap((item) => idsOf(item, ['from_identity_id', 'into_identity_id', 'identity_id'])),
    recordIds: all.flatMap((item) => idsOf(item, ['record', 'other'])),
    fields: [...nameFields, ...items.flatMap(({ fields, rule }) => [...textsOf(fields), ...textsOf([rule])])],
  });
  const named = resultLists.flatMap((list) =>
    Array.isArray(result[list]) ? [[list, itemsOf(result[list]).map((item) => nameItem(item, names))]] : [],
  );
  return { ...result, ...Object.fromEntries(named) };
}

function nameItem(item: Item, names: Names): Item {
  // PostgreSQL stores `to` before `from`.
  const { fields, candidates, from, to, ...rest } = item;
  const identityName = (key: string) => names.identities.get(bare(item[key]) ?? '');
  const [record, other] = [item.record, item.other].map((id) => names.records.get(bare(id) ?? ''));
  const values = textsOf(fields).map((field) => ({
    field,
    value: shownValue(record, field),
    other: shownValue(other, field),
  }));
  const shown = {
    from_name: identityName('from_identity_id'),
    into_name: identityName('into_identity_id'),
    name: identityName('identity_id'),
    record_name: shownValue(record, 'full_name'),
  };
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(shown).filter(([, name]) => name !== undefined)),
    ...(from !== undefined && { from, to }),
    ...(values.length > 0 && { values }),
    ...(candidates !== undefined && { candidates: itemsOf(candidates).map((each) => nameItem(each, names)) }),
  };
}

function shownValue(record: Readonly<Record<string, string>> | undefined, field: string): string | undefined {
  if (field !== 'full_name') return record?.[field];
  const parts = [record?.first_name, record?.last_name].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(' ') : record?.display_name;
}

export function itemsOf(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function idsOf(item: Item, keys: readonly string[]): string[] {
  return keys.flatMap((key) => bare(item[key]) ?? []);
}

/** Returns the bare uuid of a public id of an identity, a user or an account. */
function bare(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  return decodeId('identity', id) ?? decodeId('user', id) ?? decodeId('account', id);
}
