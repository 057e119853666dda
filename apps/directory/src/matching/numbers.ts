import type { KeyKind } from '@idsync/contracts';
import { isPermanent, type RecordKey } from './record-keys.js';

/** Values of the permanent keys, by key. */
export type Numbers = ReadonlyMap<KeyKind, ReadonlySet<string>>;

/** Returns the employee numbers and other permanent keys among these. */
export function numbersOf(keys: readonly RecordKey[]): Numbers {
  const numbers = new Map<KeyKind, Set<string>>();
  for (const key of keys) {
    if (isPermanent(key)) numbers.set(key.kind, (numbers.get(key.kind) ?? new Set()).add(key.value));
  }
  return numbers;
}

/** Returns true if both sides have values of a permanent key and none in common, which makes them two people. */
export function contradict(a: Numbers, b: Numbers): boolean {
  return [...a].some(([kind, values]) => {
    const others = b.get(kind);
    return others !== undefined && ![...values].some((value) => others.has(value));
  });
}
