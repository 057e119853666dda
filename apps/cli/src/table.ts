import { styleText } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';

/** How a terminal shows a table. Without it, cells are complete and have no colours. */
export interface Terminal {
  columns: number;
  colours: boolean;
}

/** A cut cell keeps at least this width, so that it can still be recognized. */
const narrowest = 12;
const gap = 2;
const wholeCell = /^[a-z]{3}_[0-9a-z]{26}$/;

const colourOf: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  ...valuesOf('green', 'active completed delivered done healthy ok resolved'),
  ...valuesOf('yellow', 'completed_with_errors open pending quarantined queued running stale suspended'),
  ...valuesOf('red', 'dead failed failing orphaned'),
};

/** Formats rows as columns under capitalized headings. */
export function table(headings: string[], rows: unknown[][], terminal?: Terminal): string {
  if (rows.length === 0) return 'none\n';
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(cell))];
  return align(
    terminal
      ? fit(
          lines.map((line) => line.map(shortTime)),
          terminal.columns,
        )
      : lines,
    terminal?.colours ? colourCell : plainCell,
  );
}

/** Formats an object with one line per field. */
export function fieldLines(object: object, terminal?: Terminal): string {
  const lines = Object.entries(object).map(([name, value]) => [name, cell(value)]);
  return align(lines, terminal?.colours ? colourField : plainCell);
}

/** Replaces control characters, because values from sources could contain terminal escape sequences. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
}

/** Does the same for a multi-line text. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n');
}

/** Formats a value as the text of one cell; an absent one is empty. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Cuts a text to a number of terminal columns; an ellipsis shows that something is missing. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

type Paint = (text: string, row: number, column: number) => string;

const plainCell: Paint = (text) => text;

const colourCell: Paint = (text, row) => {
  if (row === 0) return style('bold', text);
  const colour = colourOf[text];
  return colour === undefined ? text : style(colour, text);
};

const colourField: Paint = (text, _row, column) => {
  if (column === 0) return style('dim', text);
  const colour = colourOf[text];
  return colour === undefined ? text : style(colour, text);
};

function align(lines: string[][], paint: Paint): string {
  const widths = widthsOf(lines);
  return lines
    .map((line, row) => {
      const last = line.findLastIndex((text) => text !== '');
      const shown = line.slice(0, last + 1);
      return `${shown
        .map((text, column) => {
          const fill = column === last ? 0 : (widths[column] ?? 0) - widthOf(text) + gap;
          return paint(text, row, column) + ' '.repeat(fill);
        })
        .join('')
        .trimEnd()}\n`;
    })
    .join('');
}

/** Cuts the widest columns until the lines fit. Ids stay whole, because a cut one is useless. */
function fit(lines: string[][], columns: number): string[][] {
  const widths = widthsOf(lines);
  const mayBeCut = widths.map((_, column) => !lines.some((line) => wholeCell.test(line[column] ?? '')));
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - columns;
  while (excess > 0) {
    const open = widths.flatMap((width, column) => (mayBeCut[column] && width > narrowest ? [width] : []));
    if (open.length === 0) break;
    const widest = Math.max(...open);
    widths[widths.findIndex((width, column) => mayBeCut[column] && width === widest)] = widest - 1;
    excess -= 1;
  }
  return lines.map((line) => line.map((text, column) => cut(text, widths[column] ?? 0)));
}

/** Leaves out the milliseconds of a time, which remains valid as an option. */
function shortTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, '$1Z');
}

function widthsOf(lines: string[][]): number[] {
  return (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
}

function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(', ') || '-';
  return printable(cellText(value)) || '-';
}

/** Counts terminal columns: two for wide characters, none for combining ones. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) continue;
    width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

function style(name: 'bold' | 'dim' | 'green' | 'yellow' | 'red', text: string): string {
  return styleText(name, text, { validateStream: false });
}

function valuesOf<Colour>(colour: Colour, words: string): Record<string, Colour> {
  return Object.fromEntries(words.split(' ').map((word) => [word, colour]));
}
