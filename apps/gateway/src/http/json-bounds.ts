/** Bounds of one JSON text. */
export interface JsonBounds {
  /** Nesting of objects and lists. */
  depth: number;
  /** Objects, lists and their elements. */
  values: number;
  /** Names in objects, except `repeatedNames`. */
  names: number;
}

/**
 * Names that every member of a pushed group repeats. They are not counted, because only new names are expensive: V8 creates a hidden
 * class for each new sequence of names, in up to 6 µs per name.
 */
const repeatedNames: ReadonlySet<string> = new Set(['value', '$ref', 'display', 'type']);
const longestRepeatedName = 7;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/**
 * Returns the bound that a JSON text exceeds, or undefined. Scans the bytes once before parsing, because parsing is what needs time and
 * memory. The result is meaningless for text that is not JSON.
 */
export function exceededBound(json: Buffer, most: JsonBounds): keyof JsonBounds | undefined {
  let [depth, values, names] = [0, 0, 0];
  /** Position of the last string, without its quotes. */
  let [start, end] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        start = at + 1;
        at = endOfString(json, start);
        end = at;
        break;
      case colon:
        if (!isRepeated(json, start, end)) names += 1;
        if (names > most.names) return 'names';
        break;
      case comma:
        values += 1;
        if (values > most.values) return 'values';
        break;
      case openingBracket:
      case openingBrace:
        depth += 1;
        values += 1;
        if (depth > most.depth) return 'depth';
        if (values > most.values) return 'values';
        break;
      case closingBracket:
      case closingBrace:
        depth -= 1;
        break;
    }
  }
  return undefined;
}

function endOfString(json: Buffer, start: number): number {
  let at = start;
  for (; at < json.length && json[at] !== quote; at += 1) if (json[at] === backslash) at += 1;
  return at;
}

function isRepeated(json: Buffer, start: number, end: number): boolean {
  return end - start <= longestRepeatedName && repeatedNames.has(json.toString('latin1', start, end));
}
