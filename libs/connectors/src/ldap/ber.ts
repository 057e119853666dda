/** The server sent an invalid LDAP message. */
export class MalformedMessage extends Error {}

/** One BER element with its tag and content. */
export interface Element {
  tag: number;
  content: Buffer;
}

/** Returns the length of the first element with its header; undefined if the header is incomplete. */
export function elementLength(bytes: Buffer): number | undefined {
  const header = headerOf(bytes, 0);
  return header && header.start + header.length;
}

/** Splits bytes into consecutive elements. Throws if a length exceeds the bytes. */
export function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = headerOf(bytes, at);
    if (!header || header.start + header.length > bytes.length) throw new MalformedMessage('an element is truncated');
    const end = header.start + header.length;
    elements.push({ tag: bytes.readUInt8(at), content: bytes.subarray(header.start, end) });
    at = end;
  }
  return elements;
}

export function integerOf({ content }: Element): number {
  if (content.length < 1 || content.length > 4) throw new MalformedMessage('an integer has an invalid length');
  return content.readIntBE(0, content.length);
}

function headerOf(bytes: Buffer, at: number): { start: number; length: number } | undefined {
  if (at + 2 > bytes.length) return undefined;
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return { start: at + 2, length: first };
  const size = first & 0x7f;
  if (size === 0 || size > 4) throw new MalformedMessage('an element has an invalid length');
  if (at + 2 + size > bytes.length) return undefined;
  return { start: at + 2 + size, length: bytes.readUIntBE(at + 2, size) };
}
