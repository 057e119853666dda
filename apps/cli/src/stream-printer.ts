import { csv, csvLine } from './output.js';
import type { Printer } from './printer.js';
import { cellText, cut, printable } from './table.js';

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
