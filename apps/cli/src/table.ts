import { styleText } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';

/** How a terminal shows a table. Without it, cells are complete and have no colours. */
export interface Terminal {
  columns: number;
  colours: boolean;
}

/** A cut cell keeps at least this width, so that it can still be recognized. */
const narrowest = 12;
/** A cut id keeps its prefix and its end, by which ids that were created together differ. */
const narrowestId = 11;
const gap = 2;
const absent = '-';
const id = /^[a-z]{3}_[0-9a-z]{26}$/;
/** A time, or a single word such as an event type or a status. */
const timeOrType = /^(?:\d{4}-\d\d-\d\dT[\d:]+Z|(?=.{1,32}$)[a-z][A-Za-z]*(?:[._][a-z]+)*)$/;

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

/** `key`: the id of the row; `reference`: the id of something else; `whole`: times and types. */
type Kind = 'key' | 'reference' | 'text' | 'whole';

/**
 * Makes the lines fit: leaves out columns without any value, then cuts the ids of other resources, then texts, and the
 * id of the row if nothing else helps. Times and types stay whole. If that is not enough, rows take several lines.
 */
function fit(lines: string[][], columns: number): string[][] {
  if (totalOf(widthsOf(lines)) <= columns) return lines;
  const kept = (lines[0] ?? []).flatMap((_, column) =>
    lines.slice(1).some((line) => line[column] !== absent) ? [column] : [],
  );
  const shown = lines.map((line) => kept.map((column) => line[column] ?? ''));
  const widths = widthsOf(shown);
  const kinds = widths.map((_, column) => kindOf(shown.map((line) => line[column] ?? '')));
  const leastOf = (cuttable: readonly Kind[]) =>
    totalOf(
      widths.map((width, at) => (cuttable.includes(kinds[at] ?? 'whole') ? Math.min(width, least(kinds[at])) : width)),
    );
  // A cut key is of no use, so it is cut only if a row then fits, and texts get its room.
  const needsKey = leastOf(['reference', 'text']) > columns && leastOf(['reference', 'key', 'text']) <= columns;
  const cuttable: readonly Kind[] = needsKey ? ['reference', 'key', 'text'] : ['reference', 'text'];
  const room = Math.ceil(leastOf(cuttable) / columns) * columns;
  for (const kind of cuttable) shrink(widths, kinds, kind, room);
  return shown.map((line) =>
    line.map((text, column) => (id.test(text) ? cutId(text, widths[column] ?? 0) : cut(text, widths[column] ?? 0))),
  );
}

/** Makes the widest columns of a kind narrower until all fit. */
function shrink(widths: number[], kinds: readonly Kind[], kind: Kind, room: number): void {
  for (let excess = totalOf(widths) - room; excess > 0; excess -= 1) {
    const open = widths.map((width, column) => (kinds[column] === kind && width > least(kind) ? width : 0));
    const widest = Math.max(...open);
    if (widest === 0) return;
    widths[open.indexOf(widest)] = widest - 1;
  }
}

function kindOf([heading, ...cells]: readonly string[]): Kind {
  if (cells.some((text) => id.test(text))) return heading === 'ID' ? 'key' : 'reference';
  return cells.every((text) => text === absent || timeOrType.test(text)) ? 'whole' : 'text';
}

const least = (kind: Kind | undefined) => (kind === 'text' ? narrowest : narrowestId);

const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + gap, -gap);

function cutId(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, 4)}…${text.slice(5 - width)}`;
}

/** Leaves out the milliseconds of a time, which remains valid as an option. */
function shortTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, '$1Z');
}

function widthsOf(lines: string[][]): number[] {
  return (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
}

function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(', ') || absent;
  return printable(cellText(value)) || absent;
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
