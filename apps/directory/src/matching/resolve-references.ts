import { type MachineReference, machineReferences } from '@idsync/contracts';
import {
  type CorrelationKey,
  findKeyHolders,
  findUsersByExternalId,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { keyText, normaliseText } from './record-keys.js';

/** Whom a record names in a role: as its source wrote it, and as it is compared. */
export interface NamedPerson {
  role: MachineReference;
  text?: string;
  value?: string;
}

/** Every role, named or not. */
export function namedBy(record: StoredRecord): NamedPerson[] {
  return machineReferences.map((role) => {
    const text = record.fields[role]?.[0]?.trim();
    const value = normaliseText(text);
    return value === undefined ? { role } : { role, text, value };
  });
}

export interface Directory {
  /** The one identity that a text of a source names: by its certain keys in their rank, else by its id in a source. */
  identityNamed(named: NamedPerson): string | undefined;
  holderOf(key: CorrelationKey): string | undefined;
}

/** Looks up everybody these machines name, and who has the keys of `keyed`, in two questions. */
export async function lookUp(
  tx: Transaction,
  { tenantId, connectors, rules }: Cause,
  machines: readonly StoredRecord[],
  keyed: readonly CorrelationKey[],
  here: Iterable<RecordChange>,
  links: ReadonlyMap<string, string>,
): Promise<Directory> {
  const named = machines.flatMap(namedBy);
  const values = new Set([...named.flatMap(({ value }) => value ?? []), ...keyed.map(({ value }) => value)]);
  const texts = new Set(named.flatMap(({ text }) => text ?? []));
  const held = await findKeyHolders(tx, tenantId, rules.certain, [...values]);
  const holders = new Map(held.map((row) => [keyText(row), row.identityId]));

  const lists = [...connectors.values()].filter(({ records }) => records === 'user').map(({ id }) => id);
  const users = new Map<string, { externalId: string; identityId?: string | null }>();
  for (const user of await findUsersByExternalId(tx, lists, [...texts])) users.set(user.id, user);
  // What is being changed is not written yet.
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
        const identityId = holderOf({ kind, value });
        if (identityId !== undefined) return identityId;
      }
      const [only, ...others] = byExternalId.get(text) ?? [];
      return others.length === 0 ? only : undefined;
    },
  };
}
