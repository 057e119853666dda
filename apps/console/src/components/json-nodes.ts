export interface JsonEntry {
  /** Absent in an array. */
  name?: string;
  value: unknown;
}

/** The entries of an object or array; undefined for other values. */
export function entriesOf(value: unknown): JsonEntry[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.map((each: unknown) => ({ value: each }));
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => ({ name, value: each }));
}

export const bracketsOf = (value: unknown): readonly [string, string] =>
  Array.isArray(value) ? ['[', ']'] : ['{', '}'];

export const countOf = (entries: readonly JsonEntry[]) =>
  `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;

const longLines = 40;

/** Whether objects and arrays at a depth, from 0, are shown open: of a long text only the first levels. */
export function isOpenAt(depth: number, text: string, levels = 2): boolean {
  return depth < levels || text.split('\n', longLines + 1).length <= longLines;
}

/** The value of a body that is a JSON object or array; undefined for others. */
export function jsonOf(body: string): object | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
