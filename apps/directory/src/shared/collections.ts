/** Values of a record by field. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** Returns each value once, in the order of its first occurrence. */
export function distinct(values: readonly string[]): string[] {
  return values.length < 2 ? [...values] : [...new Set(values)];
}

/** Returns true if both lists have the same values, in any order and however often. */
export function sameValues(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  // Most values, for which sets take several times as long.
  if (a.length === 1 && b.length === 1) return a[0] === b[0];
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((value) => right.has(value));
}

/** Adds an item to the list of a key. */
export function append<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Compares by code units, whatever the locale is. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function idsOf<Id>(rows: readonly { id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}

export function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
