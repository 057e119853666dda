import { SourceError, type SourceErrorDetails } from '../connector.js';
import { resultName } from '../ldap/ldap-errors.js';
import type { Position } from '../read-pages.js';
import { type LdifEntry, type LdifLine, maxEntryBytes, OpenEntry, splitLine } from './ldif-entry.js';

/** Parses the chunks of an LDIF file of content records (RFC 2849) into entries. */
export class LdifParser {
  private rest: Buffer = Buffer.alloc(0);
  private folded: { text: string; line: number } | undefined;
  private entry: OpenEntry | undefined;
  private done: LdifEntry[] = [];
  /** Whether any entry was found, usable or not. */
  sawEntry = false;

  constructor(
    private readonly path: string,
    private readonly isWanted: (line: LdifLine) => boolean,
    private at: Position,
  ) {}

  /** Returns the entries that end in this chunk. */
  feed(chunk: Buffer): LdifEntry[] {
    const data = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let from = 0;
    for (let newline = data.indexOf(10); newline >= 0; newline = data.indexOf(10, from)) {
      this.takeLine(data.toString('latin1', from, newline), newline + 1 - from);
      from = newline + 1;
    }
    this.rest = data.subarray(from);
    if (this.rest.length > maxEntryBytes) throw this.failure(`line ${this.at.line} is longer than 8 MiB`);
    return this.taken();
  }

  /** Returns the entry that ends with the file. Throws if it is truncated. */
  end(): LdifEntry[] {
    const { rest, at } = this;
    if (rest.length > 0) this.takeLine(rest.toString('latin1'), rest.length);
    const { folded } = this;
    if (folded && !folded.text.startsWith('#')) {
      // Every LDIF line has a line break, so a last line without one may be truncated.
      if (rest.length > 0) throw this.failure(`truncated within line ${at.line}`, { code: 'incomplete' });
      if (!splitLine(folded.text)) throw this.cutOff();
    }
    this.closeLine();
    if (this.entry?.cutBase64 || this.entry?.dnOnly) throw this.cutOff();
    this.closeEntry();
    return this.taken();
  }

  private taken(): LdifEntry[] {
    const entries = this.done;
    this.done = [];
    return entries;
  }

  private failure(message: string, details?: SourceErrorDetails): SourceError {
    return new SourceError(`"${this.path}": ${message}`, details);
  }

  private cutOff(): SourceError {
    return this.failure(`truncated within the entry of line ${this.entry?.line ?? this.at.line - 1}`, {
      code: 'incomplete',
    });
  }

  private takeLine(raw: string, bytes: number): void {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const number = this.at.line;
    this.at = { offset: this.at.offset + bytes, line: number + 1 };
    if (this.entry) this.entry.bytes += bytes;
    if (this.folded && line.startsWith(' ')) {
      if (this.folded.text.length <= maxEntryBytes) this.folded.text += line.slice(1);
      return;
    }
    this.closeLine();
    if (line === '') this.closeEntry();
    else this.folded = { text: line, line: number };
  }

  private closeEntry(): void {
    const { entry } = this;
    if (!entry) return;
    this.entry = undefined;
    if (entry.searchResult !== undefined) {
      this.requireSuccess(entry.searchResult);
      return;
    }
    this.sawEntry = true;
    this.done.push(entry.finish(this.at));
  }

  private closeLine(): void {
    const { folded } = this;
    if (!folded) return;
    this.folded = undefined;
    if (folded.text.startsWith('#')) {
      // ldapsearch -L writes its result as a comment.
      if (folded.text.startsWith('# result: ')) this.requireSuccess(folded.text.slice('# result: '.length));
      return;
    }
    const line = splitLine(folded.text);
    if (!this.entry && line?.name === 'version') {
      if (line.value !== '1')
        throw this.failure('this LDIF version is not supported, only version 1 is', { said: line.value });
      return;
    }
    if (line?.name === 'changetype' && line.value.toLowerCase() !== 'add') {
      throw this.failure(
        `line ${folded.line} has a changetype other than add, but only complete entries are supported`,
        { said: line.value },
      );
    }
    if (this.entry) this.entry.dnOnly = false;
    else this.entry = new OpenEntry(folded.line, this.isWanted, line);
    this.entry.add(line, folded.line);
  }

  /** Throws for a failed search, because a search that reached a limit wrote only some entries. */
  private requireSuccess(result: string): void {
    const [code] = /^[1-9]\d{0,4}/.exec(result) ?? [];
    if (code === undefined) return;
    throw this.failure(`the search was incomplete and ended with ${resultName(Number(code))}`, {
      code: 'incomplete',
      said: result,
    });
  }
}
