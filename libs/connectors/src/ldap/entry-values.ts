import { utf8Text } from '../read-text.js';
import type { LdapEntry } from './ldap-messages.js';

/** Binary attributes that are formatted as in the tools of Active Directory. */
const guids = new Set(['objectguid', 'ms-ds-consistencyguid', 'msexchmailboxguid']);
const sids = new Set(['objectsid', 'sidhistory']);

/** Returns the values of an attribute as text; undefined if one of them is not text. */
export function textsOf(entry: LdapEntry, attribute: string): string[] | undefined {
  const name = attribute.trim().toLowerCase();
  const texts: string[] = [];
  for (const value of entry.values.get(name) ?? []) {
    const text = guids.has(name) ? guidText(value) : sids.has(name) ? sidText(value) : utf8Text(value);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}

export function firstText(entry: LdapEntry, attribute: string): string | undefined {
  return textsOf(entry, attribute)?.[0];
}

/** Attributes that identify an entry permanently. The first one that an entry has is its key. */
export type Anchor = readonly string[];

/** Returns the name of an anchor in messages and mappings. */
export function nameOfAnchor(anchor: Anchor): string {
  return anchor.join(' or ');
}

/** Returns the key of an entry; undefined if it has none of the attributes, or this account may not read them. */
export function keyOf(entry: LdapEntry, anchor: Anchor): string | undefined {
  for (const attribute of anchor) {
    const key = firstText(entry, attribute);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** Returns the bytes of a value for a filter; undefined if the text is invalid for `attribute`. */
export function valueBytes(attribute: string, text: string): Buffer | undefined {
  if (!guids.has(attribute.toLowerCase())) return Buffer.from(text);
  const hex = text.replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(hex) ? swapped(Buffer.from(hex, 'hex')) : undefined;
}

/** The first three parts of a GUID are stored in little-endian order. */
function guidText(bytes: Buffer): string | undefined {
  if (bytes.length !== 16) return undefined;
  const hex = swapped(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function swapped(bytes: Buffer): Buffer {
  const parts = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)];
  return Buffer.concat([...parts.map((part) => Buffer.from(part).reverse()), bytes.subarray(8)]);
}

function sidText(bytes: Buffer): string | undefined {
  const count = bytes[1] ?? 0;
  if (bytes.length !== 8 + 4 * count) return undefined;
  const parts = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(8 + 4 * index));
  return ['S', bytes[0], bytes.readUIntBE(2, 6), ...parts].join('-');
}
