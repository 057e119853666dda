import type { Neighbourhood } from './neighbourhood.js';
import { keyText } from './record-keys.js';

/** Returns the deleted users that gave up an address, by key; an empty list if none is left. */
export function formerHolders(neighbourhood: Neighbourhood): Map<string, string[]> {
  const holders = new Map<string, string[]>();
  for (const { record, before, removed } of neighbourhood.changes.values()) {
    for (const key of before ? neighbourhood.formerKeysOf(before) : []) {
      holders.set(keyText(key), holders.get(keyText(key)) ?? []);
    }
    for (const key of removed ? [] : neighbourhood.formerKeysOf(record)) {
      holders.set(keyText(key), [...(holders.get(keyText(key)) ?? []), record.id]);
    }
  }
  return holders;
}
