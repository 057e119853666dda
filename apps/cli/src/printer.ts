import type { WriteStream } from 'node:tty';
import type { Command } from 'commander';
import type { CursorList, List } from './admin-client.js';
import { cellText, cut, fieldLines, printable, printableLines, type Terminal, table } from './table.js';

export const outputFormats = ['table', 'json', 'jsonl', 'csv'] as const;

type OutputFormat = (typeof outputFormats)[number];

/** Standard output, or what replaces it in tests. */
type OutputStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

/** Returns how tables look on this stream; undefined if it is no terminal. */
function terminalOf(stream: OutputStream, env: Record<string, string | undefined>): Terminal | undefined {
  if (!stream.isTTY) return undefined;
  return { columns: stream.columns || 80, colours: stream.hasColors?.(env) ?? false };
}

/** Formats rows as CSV after RFC 4180, under headings such as `last_run`. `forTerminal` replaces control characters. */
export function csv(headings: readonly string[], rows: readonly unknown[][], forTerminal = false): string {
  const names = headings.map((heading) => (heading === '%' ? 'percent' : heading.replaceAll(' ', '_')));
  return [names, ...rows].map((row) => csvLine(row, forTerminal)).join('');
}

/** Formats one row as CSV. */
function csvLine(row: readonly unknown[], forTerminal: boolean): string {
  const texts = row.map(cellText);
  return `${texts.map((text) => quoted(forTerminal ? printable(text) : text)).join(',')}\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export type Variables = Record<string, string | undefined>;

/** Streams, environment and working directory of a run; replaced in tests. */
export interface CliContext {
  /** Answers confirmations; standard input by default. */
  in?: NodeJS.ReadableStream & { isTTY?: boolean };
  out: OutputStream;
  err: NodeJS.WritableStream;
  env?: Variables;
  cwd?: string;
  /** Receives the exit code of a command that does not throw. */
  exit?: (code: number) => void;
  /** Ends commands that follow a stream, as an interrupt of the process does. */
  stop?: AbortSignal;
}

/** A column: a field, which names it, or a heading with a field or what it shows. */
export type Column<Item> = Field<Item> | readonly [heading: string, cell: Field<Item> | ((item: Item) => unknown)];

type Field<Item> = keyof Item & string;

/** Prints the results of one command in the format that its options choose. */
export class Printer {
  readonly format: OutputFormat;

  constructor(
    command: Command,
    readonly io: CliContext,
  ) {
    const { output, json } = command.optsWithGlobals<{ output?: OutputFormat; json?: boolean }>();
    this.format = output ?? (json ? 'json' : 'table');
  }

  /** Whether the output is for programs: the response as it is, without notes. */
  get isRaw(): boolean {
    return this.format !== 'table';
  }

  /** How tables look; undefined if the output is no terminal. */
  get terminal(): Terminal | undefined {
    return terminalOf(this.io.out, this.io.env ?? process.env);
  }

  printList<Item>(list: List<Item>, columns: readonly Column<Item>[]): void {
    this.printItems(list, columns);
    const shown = list.data.length;
    const isMore = list.total_is_estimate && list.next_cursor !== undefined;
    const total = list.total_is_estimate ? `${Math.max(list.total, shown)}+` : list.total;
    if (shown < list.total || isMore) this.note(`${shown} of ${total} shown`);
  }

  printPage<Item>(list: CursorList<Item>, columns: readonly Column<Item>[]): void {
    this.printItems(list, columns);
    if (list.next_cursor !== undefined) this.note(`more results may exist: continue with --cursor ${list.next_cursor}`);
  }

  /** Prints a list without a remark about its other pages. */
  printItems<Item>(list: { data: Item[] }, columns: readonly Column<Item>[]): void {
    const { headings, rows } = tableOf(list.data, columns);
    if (this.format === 'json') this.printJson(list);
    else if (this.format === 'jsonl') for (const item of list.data) this.print(`${JSON.stringify(item)}\n`);
    else if (this.format === 'csv') this.print(csv(headings, rows, this.isTerminal));
    else this.print(table(headings, rows, this.terminal));
  }

  /** Prints a resource as it is for programs, and otherwise by `forPeople`. */
  show(resource: object, forPeople: () => void | Promise<void>): void | Promise<void> {
    return this.isRaw ? this.printOne(resource) : forPeople();
  }

  printOne(resource: object): void {
    if (this.format === 'json') this.printJson(resource);
    else if (this.format === 'jsonl') this.print(`${JSON.stringify(resource)}\n`);
    else if (this.format === 'csv') this.print(csv(Object.keys(resource), [Object.values(resource)], this.isTerminal));
    else this.print(fieldLines(resource, this.terminal));
  }

  /** Prints a further table of a resource, after an empty line and its title. */
  printTable<Item>(items: readonly Item[], columns: readonly Column<Item>[], title?: string): void {
    const { headings, rows } = tableOf(items, columns);
    this.print(`\n${title === undefined ? '' : `${title}:\n`}${table(headings, rows, this.terminal)}`);
  }

  /** Prints a remark for people to standard error; omitted if the output is for programs. */
  note(text: string): void {
    if (!this.isRaw) this.io.err.write(`${printableLines(text)}\n`);
  }

  print(text: string): void {
    this.io.out.write(text);
  }

  private get isTerminal(): boolean {
    return this.terminal !== undefined;
  }

  private printJson(value: unknown): void {
    this.print(`${JSON.stringify(value, null, 2)}\n`);
  }
}

function tableOf<Item>(items: readonly Item[], columns: readonly Column<Item>[]) {
  const headings = columns.map((column) => (typeof column === 'string' ? headingOf(column) : column[0]));
  const cells = columns.map((column) => (typeof column === 'string' ? column : column[1]));
  const shownBy = (item: Item, cell: (typeof cells)[number]) => (typeof cell === 'string' ? item[cell] : cell(item));
  return { headings, rows: items.map((item) => cells.map((cell) => shownBy(item, cell))) };
}

/** `last_used_at` has the heading `last used`. */
function headingOf(field: string): string {
  return field.replace(/_at$/, '').replaceAll('_', ' ');
}

/** Prints rows as they arrive: aligned lines, one JSON value per line, or CSV under one heading. */
export class StreamPrinter {
  private isFirst = true;

  /** `widths`: the least width of each column, because later rows are not known. */
  constructor(
    private readonly printer: Printer,
    private readonly headings: string[],
    private readonly widths: number[],
  ) {}

  print(resource: object, row: unknown[]): void {
    const { format, terminal } = this.printer;
    if (format === 'json' || format === 'jsonl') {
      this.printer.print(`${JSON.stringify(resource)}\n`);
      return;
    }
    if (format === 'csv') {
      const forTerminal = terminal !== undefined;
      this.printer.print(this.isFirst ? csv(this.headings, [row], forTerminal) : csvLine(row, forTerminal));
      this.isFirst = false;
      return;
    }
    const cells = row.map((value, column) => (printable(cellText(value)) || '-').padEnd(this.widths[column] ?? 0));
    const text = cells.join('  ').trimEnd();
    this.printer.print(`${terminal ? cut(text, terminal.columns) : text}\n`);
  }
}
