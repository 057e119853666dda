type Json = Record<string, unknown>;

/**
 * The values of a multi-valued attribute with an index. Two values are the same if their `value` is equal, and their `type` if both have
 * one; values without `value` are the same if they are deeply equal.
 */
export class ValueList {
  private readonly values: unknown[] = [];
  /** The first position of each key. */
  private readonly firsts = new Map<string, number>();
  /** The positions of each key with a type, or with none, in ascending order. */
  private readonly byType = new Map<string, number[]>();

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
    const type = typeOf(value);
    if (type === undefined) return this.firsts.get(keyOf(value));
    const [typed, untyped] = [this.positionsOf(value, type)[0], this.positionsOf(value, undefined)[0]];
    return typed === undefined || untyped === undefined ? (typed ?? untyped) : Math.min(typed, untyped);
  }

  private push(value: unknown): void {
    const at = this.values.push(value) - 1;
    const key = keyOf(value);
    if (!this.firsts.has(key)) this.firsts.set(key, at);
    this.positionsOf(value, typeOf(value)).push(at);
  }

  private replace(at: number, value: unknown): void {
    const before = typeOf(this.values[at]);
    this.values[at] = value;
    if (typeOf(value) === before) return;
    // The value had no type. It was the first of those, and it precedes all values that have its new type.
    this.positionsOf(value, before).shift();
    this.positionsOf(value, typeOf(value)).unshift(at);
  }

  private positionsOf(value: unknown, type: unknown): number[] {
    const key = `${canonical(type)} ${keyOf(value)}`;
    const positions = this.byType.get(key) ?? [];
    this.byType.set(key, positions);
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

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
