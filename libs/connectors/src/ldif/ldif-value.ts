import { decodeText } from '../decode-text.js';

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
export function isCutBase64({ encoding, value }: LdifLine): boolean {
  return encoding === 'base64' && value.length % 4 !== 0;
}

/** Decodes a value; undefined if it is not UTF-8 text without NUL or its base64 is invalid. */
export function decodeValue(line: LdifLine): string | undefined {
  if (line.encoding !== 'base64') return decodeText(line.value);
  if (isCutBase64(line) || !/^[a-z0-9+/]*={0,2}$/i.test(line.value)) return undefined;
  return decodeText(Buffer.from(line.value, 'base64').toString('latin1'));
}
