import type { Position } from '../read-pages.js';
import { decodeText } from '../read-text.js';

export const maxEntryBytes = 8 * 1024 * 1024;
const maxClassBytes = 64 * 1024;

/** Lines that ldapsearch writes after the entries by default. */
const searchResultNames = new Set(['search', 'result', 'matcheddn', 'text', 'control', 'pagedresults']);

export interface LdifEntry {
  /** Line of its dn. */
  line: number;
  next: Position;
  /**
   * Values of the wanted attributes and `objectclass` by lower-case name. Without `objectclass` if a class is unknown.
   */
  values: Map<string, string[]>;
  /** Why the record cannot be used. */
  problem?: string;
  /** Whether it contains another entry, because the blank line between them is missing. */
  hidesOthers: boolean;
}

/** An entry whose lines are being read. */
export class OpenEntry {
  /** Size of all its lines, wanted or not. */
  bytes = 0;
  /** Whether only its dn was read so far. */
  dnOnly: boolean;
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
    this.dnOnly = first?.name === 'dn';
    this.onlySearchResult = first?.name !== 'dn';
    if (first && first.name !== 'dn') this.problem = 'does not begin with dn';
  }

  /** Returns the result line of ldapsearch; undefined if this is an entry. */
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
    // Two entries without a blank line between them would become one person.
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
    const problem = this.problem ?? (this.dnOnly ? 'has no attributes' : undefined);
    const { line, values, hidesOthers } = this;
    return { line, values, next, hidesOthers, ...(problem !== undefined && { problem }) };
  }

  /** Collects classes also after a problem, because they decide whether the entry is skipped. */
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
      this.problem ??= `${line.name} refers to a URL, which is not supported`;
      return false;
    }
    const value = decodeValue(line);
    if (value === undefined) {
      this.problem ??= `${line.name} is not UTF-8 text, or its base64 is invalid`;
      return false;
    }
    const values = this.values.get(line.name);
    if (values) values.push(value);
    else this.values.set(line.name, [value]);
    return true;
  }
}

/** An unfolded `name: value` line with one character per byte. */
export interface LdifLine {
  /** Lower case, with its options: `cn;lang-de`. */
  name: string;
  encoding: 'plain' | 'base64' | 'url';
  value: string;
}

/** Parses a line. Returns undefined if it has no name or no colon. */
export function splitLine(text: string): LdifLine | undefined {
  const colon = text.indexOf(':');
  if (colon <= 0) return undefined;
  const name = text.slice(0, colon).toLowerCase();
  const mark = text.charAt(colon + 1);
  if (mark === ':') return { name, encoding: 'base64', value: text.slice(colon + 2).trim() };
  if (mark === '<') return { name, encoding: 'url', value: text.slice(colon + 2).trim() };
  return { name, encoding: 'plain', value: text.slice(colon + 1).trim() };
}

/** Returns whether base64 ends within a group of four, as in a truncated file. */
function isCutBase64({ encoding, value }: LdifLine): boolean {
  return encoding === 'base64' && value.length % 4 !== 0;
}

/** Decodes a value; undefined if it is not UTF-8 text without NUL or its base64 is invalid. */
export function decodeValue(line: LdifLine): string | undefined {
  if (line.encoding !== 'base64') return decodeText(line.value);
  if (isCutBase64(line) || !/^[a-z0-9+/]*={0,2}$/i.test(line.value)) return undefined;
  return decodeText(Buffer.from(line.value, 'base64').toString('latin1'));
}
