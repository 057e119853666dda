import type { Position } from '../read-pages.js';
import { decodeValue, isCutBase64, type LdifLine } from './ldif-value.js';

export const maxEntryBytes = 8 * 1024 * 1024;
const maxClassBytes = 64 * 1024;

/** What ldapsearch writes behind the entries, unless it is told not to. */
const searchResultNames = new Set(['search', 'result', 'matcheddn', 'text', 'control', 'pagedresults']);

export interface LdifEntry {
  /** Line of its dn. */
  line: number;
  next: Position;
  /** Of the wanted attributes and `objectclass`, by name in lower case. Without `objectclass` if a class is not known. */
  values: Map<string, string[]>;
  /** Why it cannot be used. */
  problem?: string;
  /** Another entry is in it, for no blank line parts them. */
  hidesOthers: boolean;
}

/** An entry while its lines are read. */
export class OpenEntry {
  /** Of all its lines, wanted or not. */
  bytes = 0;
  /** Of its lines only the dn was read. */
  bare: boolean;
  cutBase64 = false;
  private readonly values = new Map<string, string[]>();
  private problem: string | undefined;
  private classBytes = 0;
  private classesKnown = true;
  private onlySearchResult: boolean;
  private result: string | undefined;
  private hidesOthers = false;

  constructor(
    readonly line: number,
    private readonly isWanted: (line: LdifLine) => boolean,
    first: LdifLine | undefined,
  ) {
    this.bare = first?.name === 'dn';
    this.onlySearchResult = first?.name !== 'dn';
    if (first && first.name !== 'dn') this.problem = 'does not begin with dn';
  }

  /** What a search says of its end; undefined if this is an entry. */
  get searchResult(): string | undefined {
    return this.onlySearchResult ? this.result : undefined;
  }

  add(line: LdifLine | undefined, number: number): void {
    if (!line || !searchResultNames.has(line.name)) this.onlySearchResult = false;
    if (!line) {
      this.problem ??= `line ${number} has no colon`;
      this.classesKnown = false;
      return;
    }
    if (line.name === 'result') this.result = line.value;
    // Without the blank line between them two people would be one.
    if (line.name === 'dn' && number !== this.line) {
      this.problem ??= `has a second dn in line ${number}`;
      this.hidesOthers = true;
    }
    if (isCutBase64(line)) this.cutBase64 = true;
    if (this.bytes > maxEntryBytes) this.problem ??= 'is larger than 8 MiB';
    if (line.name === 'objectclass') this.addClass(line);
    else if (this.problem === undefined && this.isWanted(line)) this.addValue(line);
  }

  finish(next: Position): LdifEntry {
    if (!this.classesKnown) this.values.delete('objectclass');
    const problem = this.problem ?? (this.bare ? 'has no attributes' : undefined);
    const { line, values, hidesOthers } = this;
    return { line, values, next, hidesOthers, ...(problem !== undefined && { problem }) };
  }

  /** Classes are kept in an entry with problems as well: one that would be skipped has none. */
  private addClass(line: LdifLine): void {
    this.classBytes += line.name.length + line.value.length;
    if (this.classBytes > maxClassBytes) {
      this.problem ??= 'has more than 64 KiB of classes';
      this.classesKnown = false;
    } else if (!this.addValue(line)) {
      this.classesKnown = false;
    }
  }

  private addValue(line: LdifLine): boolean {
    if (line.encoding === 'url') {
      this.problem ??= `${line.name} refers to a URL, which is never read`;
      return false;
    }
    const value = decodeValue(line);
    if (value === undefined) {
      this.problem ??= `${line.name} is not UTF-8 text, or its base64 is broken`;
      return false;
    }
    const values = this.values.get(line.name);
    if (values) values.push(value);
    else this.values.set(line.name, [value]);
    return true;
  }
}
