import type { Command } from 'commander';
import type { CursorList, List } from './admin-client.js';
import type { CliContext } from './cli-context.js';
import { csv, type OutputFormat, terminalOf } from './output.js';
import { fieldLines, printableLines, type Terminal, table } from './table.js';

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
    const total = list.total_is_estimate ? `more than ${list.total}` : list.total;
    if (list.data.length < list.total) this.note(`${list.data.length} of ${total} shown`);
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
  show<Resource extends object>(resource: Resource, forPeople: (resource: Resource) => void): void {
    if (this.isRaw) this.printOne(resource);
    else forPeople(resource);
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
