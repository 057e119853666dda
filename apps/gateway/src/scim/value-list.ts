type Json = Record<string, unknown>;

/** Positions of the values with one key: the first, and those of each type in ascending order. */
interface Positions {
  first: number;
  byType: Map<unknown, number[]>;
}

/**
 * The values of a multi-valued attribute with an index. Two values are the same if their `value` is equal, and their `type` if both have
 * one; values without `value` are the same if they are deeply equal.
 */
export class ValueList {
  private readonly values: unknown[] = [];
  private readonly positions = new Map<string, Positions>();

  constructor(values: readonly unknown[]) {
    for (const value of values) this.push(value);
  }

  /** Adds a value, or merges it into the first one that is the same. */
  add(value: unknown): void {
    const at = this.find(value);
    if (at === undefined) this.push(value);
    else if (isObject(value)) this.replace(at, { ...(this.values[at] as Json), ...value });
  }

  has(value: unknown): boolean {
    return this.find(value) !== undefined;
  }

  toArray(): unknown[] {
    return this.values;
  }

  private find(value: unknown): number | undefined {
    const positions = this.positions.get(keyOf(value));
    const type = typeOf(value);
    if (!positions || type === undefined) return positions?.first;
    const [typed, untyped] = [positions.byType.get(type)?.[0], positions.byType.get(undefined)?.[0]];
    return typed === undefined || untyped === undefined ? (typed ?? untyped) : Math.min(typed, untyped);
  }

  private push(value: unknown): void {
    this.index(value, this.values.push(value) - 1);
  }

  private replace(at: number, value: unknown): void {
    const [before, after] = [typeOf(this.values[at]), typeOf(value)];
    const { byType } = this.positionsOf(value, at);
    this.values[at] = value;
    if (after === before) return;
    // The value had no type. It was the first of those, and it precedes all values that have its new type.
    byType.get(before)?.shift();
    byType.set(after, [at, ...(byType.get(after) ?? [])]);
  }

  private index(value: unknown, at: number): void {
    const { byType } = this.positionsOf(value, at);
    const list = byType.get(typeOf(value));
    if (list) list.push(at);
    else byType.set(typeOf(value), [at]);
  }

  private positionsOf(value: unknown, at: number): Positions {
    const key = keyOf(value);
    const positions = this.positions.get(key) ?? { first: at, byType: new Map() };
    this.positions.set(key, positions);
    return positions;
  }
}

function typeOf(value: unknown): unknown {
  return isObject(value) && value.value !== undefined ? value.type : undefined;
}

function keyOf(value: unknown): string {
  if (!isObject(value)) return `plain ${typeof value} ${String(value)}`;
  return value.value === undefined ? `whole ${canonical(value)}` : `value ${typeof value.value} ${String(value.value)}`;
}

/** Serializes a value independently of the order of its names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
