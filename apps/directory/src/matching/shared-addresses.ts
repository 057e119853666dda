// Links that rest on nothing but an address which another person has as well.
import { type Cluster, keysOf, type Person } from './cluster.js';
import { connected } from './corrected-numbers.js';
import { isSameName } from './names.js';
import { isPermanent, keyText, type RecordKey } from './record-keys.js';

/** A record that only this address connects with the older records of its person. */
export interface DoubtfulLink {
  recordId: string;
  key: RecordKey;
}

/**
 * Returns the oldest record of a person that only these addresses connect with the older ones, and whose name is another.
 * If all records had come together, the addresses would not have joined them. `shared`: texts of keys that other people
 * have, too.
 */
export function doubtfulLinkOf({ members }: Cluster, shared: ReadonlySet<string>): DoubtfulLink | undefined {
  const [first = [], ...others] = connected(members, (a, b) => areFirmlyLinked(a, b, shared));
  const older = [...first];
  for (const part of others) {
    const texts = new Set(older.flatMap(keysOf).map(keyText));
    for (const person of part) {
      const key = person.keys.find((each) => shared.has(keyText(each)) && texts.has(keyText(each)));
      if (key && person.linkStrength !== 'manual') return { recordId: person.recordId, key };
    }
    older.push(...part);
  }
  return undefined;
}

function areFirmlyLinked(a: Person, b: Person, shared: ReadonlySet<string>): boolean {
  if (a.linkStrength === 'manual' && b.linkStrength === 'manual') return true;
  const texts = new Set(keysOf(b).map(keyText));
  const common = keysOf(a).filter((key) => texts.has(keyText(key)));
  if (common.some((key) => isPermanent(key) || !shared.has(keyText(key)))) return true;
  return common.length > 0 && isSameName(a.name, b.name);
}
