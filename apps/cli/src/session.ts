import type { Command } from 'commander';
import { AdminClient } from './admin-client.js';
import type { CursorList, List } from './admin-replies.js';
import { CliError } from './cli-error.js';
import { readSettings, type SettingFlags, type Variables } from './settings.js';
import { fieldLines, table } from './table.js';

/** Where a run reads and writes; the tests give their own. */
export interface Surroundings {
  /** Whom to ask; standard input if nobody else is given. */
  in?: NodeJS.ReadableStream & { isTTY?: boolean };
  out: NodeJS.WritableStream;
  err: NodeJS.WritableStream;
  env?: Variables;
  cwd?: string;
}

interface GlobalFlags extends SettingFlags {
  json?: boolean;
}

/** One command's connection to the service, and its way to print what came back. */
export class Session {
  private constructor(
    readonly client: AdminClient,
    private readonly tenantId: string | undefined,
    readonly json: boolean,
    readonly io: Surroundings,
  ) {}

  static of(command: Command, io: Surroundings): Session {
    const flags = command.optsWithGlobals<GlobalFlags>();
    const { url, token, tenant } = readSettings(flags, io.env, io.cwd);
    return new Session(new AdminClient(url, token), tenant, flags.json ?? false, io);
  }

  get tenant(): string {
    if (this.tenantId) return this.tenantId;
    throw new CliError('which tenant? Give --tenant or set IDSYNC_TENANT; "idsync tenants list" shows them');
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
    if (list.next_cursor !== undefined) this.note(`there may be more: go on with --cursor ${list.next_cursor}`);
  }

  printOne(thing: object): void {
    if (this.json) this.printJson(thing);
    else this.print(fieldLines(thing));
  }

  /** What was done, for people; the exit code tells it to programs. */
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
