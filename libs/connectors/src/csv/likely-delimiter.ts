import type { Row } from './csv-rows.js';

const usual: Readonly<Record<string, string>> = { ';': '";"', ',': '","', '\t': 'a tab', '|': '"|"' };

/** Returns the name of the usual delimiter that occurs in a row of one column: `width - 1` times, if it is given. */
export function likelyDelimiter({ cells }: Pick<Row, 'cells'>, width?: number): string | undefined {
  const [only] = cells;
  if (only === undefined || cells.length > 1) return undefined;
  const found = Object.entries(usual)
    .map(([delimiter, name]) => ({ name, count: only.split(delimiter).length - 1 }))
    .filter(({ count }) => (width === undefined ? count > 0 : count === width - 1))
    .sort((a, b) => b.count - a.count);
  return found[0]?.name;
}
