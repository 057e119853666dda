import { comparedText, type MachineReference, machineReferences } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type CorrelationKey,
  findKeyHolders,
  findUsersByExternalId,
  type StoredRecord,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { keyText, keyValue, normaliseText } from '../matching/record-keys.js';

/** Reference of a machine to a person in a role: the source's text and the normalised value. */
export interface NamedPerson {
  role: MachineReference;
  text?: string;
  value?: string;
}

/** Returns all roles, with or without a reference. */
export function namedBy(record: StoredRecord): NamedPerson[] {
  return machineReferences.map((role) => {
    const [named] = record.fields[role] ?? [];
    const text = named && comparedText(named);
    const value = normaliseText(text);
    return value === undefined ? { role } : { role, text, value };
  });
}

export interface Directory {
  /**
   * Resolves a reference to the only fitting identity: by match keys in the order of their rank, else by external id.
   */
  identityNamed(named: NamedPerson): string | undefined;
  holderOf(key: CorrelationKey): string | undefined;
}

/** Loads the people that these machines refer to, and the holders of the keys in `keyed`, with two queries. */
export async function lookUp(
  tx: Transaction,
  { connectors, rules }: Cause,
  machines: readonly StoredRecord[],
  keyed: readonly CorrelationKey[],
  here: Iterable<RecordChange>,
  links: ReadonlyMap<string, string>,
): Promise<Directory> {
  const named = machines.flatMap(namedBy);
  const namedKeys = named.flatMap(({ text }) => rules.certain.flatMap((kind) => keyValue(kind, text, rules) ?? []));
  const values = new Set([...namedKeys, ...keyed.map(({ value }) => value)]);
  const texts = new Set(named.flatMap(({ text }) => text ?? []));
  const held = await findKeyHolders(tx, rules.certain, [...values]);
  const holders = new Map(held.map((row) => [keyText(row), row.identityId]));

  const lists = [...connectors.values()].filter(({ records }) => records === 'user').map(({ id }) => id);
  const users = new Map<string, { externalId: string; identityId?: string | null }>();
  for (const user of await findUsersByExternalId(tx, lists, [...texts])) users.set(user.id, user);
  // Pending changes are not in the database yet.
  for (const { record, removed } of here) {
    if (record.kind !== 'user' || !texts.has(record.externalId)) continue;
    if (removed) users.delete(record.id);
    else users.set(record.id, { externalId: record.externalId, identityId: links.get(record.id) });
  }
  const byExternalId = new Map<string, Set<string>>();
  for (const { externalId, identityId } of users.values()) {
    if (identityId) byExternalId.set(externalId, (byExternalId.get(externalId) ?? new Set()).add(identityId));
  }
  const holderOf = (key: CorrelationKey) => holders.get(keyText(key));
  return {
    holderOf,
    identityNamed({ text, value }) {
      if (text === undefined || value === undefined) return undefined;
      for (const kind of rules.certain) {
        const key = keyValue(kind, text, rules);
        const identityId = key === undefined ? undefined : holderOf({ kind, value: key });
        if (identityId !== undefined) return identityId;
      }
      const [only, ...others] = byExternalId.get(text) ?? [];
      return others.length === 0 ? only : undefined;
    },
  };
}
