import { SourceError } from '../connector.js';
import type { Position } from '../read-pages.js';
import { type LdifEntry, maxEntryBytes, OpenEntry } from './ldif-entry.js';
import { type LdifLine, splitLine } from './ldif-value.js';

/** Makes entries of the chunks of an LDIF file of content records (RFC 2849). */
export class LdifParser {
  private rest: Buffer = Buffer.alloc(0);
  private folded: { text: string; line: number } | undefined;
  private entry: OpenEntry | undefined;
  private done: LdifEntry[] = [];
  /** True once there was any entry, usable or not. */
  sawEntry = false;

  constructor(
    private readonly path: string,
    private readonly isWanted: (line: LdifLine) => boolean,
    private at: Position,
  ) {}

  /** The entries that end in this chunk. */
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

  /** The entry that ends with the file. Throws if the file was cut off within it. */
  end(): LdifEntry[] {
    const { rest, at } = this;
    if (rest.length > 0) this.takeLine(rest.toString('latin1'), rest.length);
    const { folded } = this;
    if (folded && !folded.text.startsWith('#')) {
      // Every line of LDIF has a line break: what stands in a last one without may be half a value.
      if (rest.length > 0) throw this.failure(`cut off: it ends in the middle of a line, line ${at.line}`);
      if (!splitLine(folded.text)) throw this.cutOff();
    }
    this.closeLine();
    if (this.entry?.cutBase64 || this.entry?.bare) throw this.cutOff();
    this.closeEntry();
    return this.taken();
  }

  private taken(): LdifEntry[] {
    const entries = this.done;
    this.done = [];
    return entries;
  }

  private failure(message: string): SourceError {
    return new SourceError(`"${this.path}": ${message}`);
  }

  private cutOff(): SourceError {
    return this.failure(`cut off within the entry of line ${this.entry?.line ?? this.at.line - 1}`);
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
      // So ldapsearch -L tells how it ended.
      if (folded.text.startsWith('# result: ')) this.requireSuccess(folded.text.slice('# result: '.length));
      return;
    }
    const line = splitLine(folded.text);
    if (!this.entry && line?.name === 'version') {
      if (line.value !== '1') throw this.failure(`LDIF version ${line.value} is not supported`);
      return;
    }
    if (line?.name === 'changetype' && line.value.toLowerCase() !== 'add') {
      throw this.failure(`changetype ${line.value} in line ${folded.line}: only whole entries can be read`);
    }
    if (this.entry) this.entry.bare = false;
    else this.entry = new OpenEntry(folded.line, this.isWanted, line);
    this.entry.add(line, folded.line);
  }

  /** A search that hit a limit has written only some of the entries. */
  private requireSuccess(result: string): void {
    if (/^[1-9]/.test(result)) throw this.failure(`the search was not complete, it ended with result ${result}`);
  }
}
