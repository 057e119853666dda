/** Formats rows as columns under capitalized headings. */
export function table(headings: string[], rows: unknown[][]): string {
  if (rows.length === 0) return 'none\n';
  return align([headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(cell))]);
}

/** Formats an object with one line per field. */
export function fieldLines(object: object): string {
  return align(Object.entries(object).map(([name, value]) => [name, cell(value)]));
}

/** Replaces control characters, because values from sources could contain terminal escape sequences. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
}

/** Does the same for a multi-line text. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n');
}

function align(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => length(line[column] ?? ''))));
  return lines
    .map((line) => line.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - length(text))).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value)) return value.map(cell).join(', ') || '-';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Counts code points, not UTF-16 units. */
function length(text: string): number {
  return [...text].length;
}
