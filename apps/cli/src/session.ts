import type { Command } from 'commander';
import { AdminClient, type CursorList, type List } from './admin-client.js';
import { CliError } from './cli-error.js';
import { readSettings, type SettingFlags, type Variables } from './settings.js';
import { fieldLines, table } from './table.js';

/** Streams, environment and working directory of a run; replaced in tests. */
export interface CliContext {
  /** Answers confirmations; standard input by default. */
  in?: NodeJS.ReadableStream & { isTTY?: boolean };
  out: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
  env?: Variables;
  cwd?: string;
}

interface GlobalFlags extends SettingFlags {
  json?: boolean;
}

/** Settings, client and output of one command. */
export class Session {
  private constructor(
    readonly client: AdminClient,
    private readonly tenantId: string | undefined,
    readonly json: boolean,
    readonly io: CliContext,
  ) {}

  static of(command: Command, io: CliContext): Session {
    const flags = command.optsWithGlobals<GlobalFlags>();
    const { url, token, tenant } = readSettings(flags, io.env, io.cwd);
    return new Session(new AdminClient(url, token), tenant, flags.json ?? false, io);
  }

  get tenant(): string {
    if (this.tenantId) return this.tenantId;
    throw new CliError('no tenant selected: pass --tenant or set IDSYNC_TENANT; "idsync tenants list" shows the ids');
  }

  printList<Item>(list: List<Item>, headings: string[], row: (item: Item) => unknown[]): void {
    if (this.json) {
      this.printJson(list);
      return;
    }
    this.print(table(headings, list.data.map(row)));
    if (list.data.length < list.total) this.note(`${list.data.length} of ${list.total} shown`);
  }

  printPage<Item>(list: CursorList<Item>, headings: string[], row: (item: Item) => unknown[]): void {
    if (this.json) {
      this.printJson(list);
      return;
    }
    this.print(table(headings, list.data.map(row)));
    if (list.next_cursor !== undefined) this.note(`more results may exist: continue with --cursor ${list.next_cursor}`);
  }

  printOne(resource: object): void {
    if (this.json) this.printJson(resource);
    else this.print(fieldLines(resource));
  }

  /** Prints a remark for people to standard error; omitted with `--json`. */
  note(text: string): void {
    if (!this.json) this.io.err.write(`${text}\n`);
  }

  print(text: string): void {
    this.io.out.write(text);
  }

  private printJson(value: unknown): void {
    this.print(`${JSON.stringify(value, null, 2)}\n`);
  }
}
