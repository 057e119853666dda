/** The server sent an invalid LDAP message. */
export class MalformedMessage extends Error {}

/** One BER element with its tag and content. */
interface Element {
  tag: number;
  content: Buffer;
}

/** Returns the length of the first element with its header; undefined if the header is incomplete. */
function elementLength(bytes: Buffer): number | undefined {
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

/** Maximum size of one message. Directory entries are much smaller. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Splits received bytes into complete messages. */
export class MessageStream {
  private chunks: Buffer[] = [];
  private length = 0;
  private needed = 1;

  /** Bytes of an incomplete message. */
  get pending(): number {
    return this.length;
  }

  *feed(chunk: Buffer): Generator<Buffer> {
    this.chunks.push(chunk);
    this.length += chunk.length;
    // Concatenated only when complete, because otherwise each chunk would copy a large message.
    while (this.length >= this.needed) {
      const all = this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks);
      // Checked at the first byte, because a wrong length would otherwise be waited for.
      if (all[0] !== 0x30) throw new MalformedMessage('a message has an unknown type');
      const length = elementLength(all);
      if (length !== undefined && length > maxMessageBytes)
        throw new MalformedMessage('a message is larger than 16 MiB');
      const complete = length !== undefined && length <= all.length;
      this.chunks = complete ? [all.subarray(length)] : [all];
      this.length = complete ? all.length - length : all.length;
      this.needed = complete ? 1 : (length ?? all.length + 1);
      if (complete) yield all.subarray(0, length);
    }
  }
}

/** A received entry. Values are stored by attribute name in lower case. */
export interface LdapEntry {
  dn: string;
  values: Map<string, Buffer[]>;
  /** The attribute names as received. */
  names: string[];
}

/** The result of an operation, with the cookie of a paged search. */
export interface LdapResult {
  code: number;
  text: string;
  cookie?: Buffer;
}

export type LdapMessage = { id: number } & (
  | { kind: 'entry'; entry: LdapEntry }
  | { kind: 'reference' }
  | { kind: 'result'; result: LdapResult }
);

const pagedResults = '1.2.840.113556.1.4.319';
const kinds = { 100: 'entry', 115: 'reference', 97: 'result', 101: 'result', 120: 'result' } as const;

/**
 * Parses one complete LDAPMessage (RFC 4511). Unlike the parser of the library, it validates the length of each
 * element.
 */
export function readMessage(bytes: Buffer): LdapMessage {
  const [envelope] = elementsOf(bytes);
  const [idElement, operation, controls] = elementsOf(required(envelope, 0x30).content);
  const id = integerOf(required(idElement, 0x02));
  const kind = kinds[operation?.tag as keyof typeof kinds];
  if (!operation || !kind) throw new MalformedMessage('a message has an unknown type');
  if (kind === 'reference') return { id, kind };
  if (kind === 'entry') return { id, kind, entry: readEntry(operation) };
  return { id, kind, result: readResult(operation, controls) };
}

function readEntry({ content }: Element): LdapEntry {
  const [dn, attributes] = elementsOf(content);
  const values = new Map<string, Buffer[]>();
  const names: string[] = [];
  for (const attribute of elementsOf(required(attributes, 0x30).content)) {
    const [name, set] = elementsOf(required(attribute, 0x30).content);
    const asSent = required(name, 0x04).content.toString('utf8');
    const key = asSent.toLowerCase();
    names.push(asSent);
    // Copied, because a slice would keep the complete message in memory.
    const found = elementsOf(required(set, 0x31).content).map((value) => Buffer.from(required(value, 0x04).content));
    values.set(key, [...(values.get(key) ?? []), ...found]);
  }
  return { dn: required(dn, 0x04).content.toString('utf8'), values, names };
}

function readResult({ content }: Element, controls: Element | undefined): LdapResult {
  const [code, , text] = elementsOf(content);
  const cookie = controls?.tag === 0xa0 ? pagedCookie(controls) : undefined;
  return {
    code: integerOf(required(code, 0x0a)),
    text: required(text, 0x04).content.toString('utf8'),
    ...(cookie && { cookie }),
  };
}

function pagedCookie(controls: Element): Buffer | undefined {
  for (const control of elementsOf(controls.content)) {
    const [type, ...rest] = elementsOf(control.content);
    if (type?.content.toString('latin1') !== pagedResults) continue;
    const [value] = elementsOf(required(rest.at(-1), 0x04).content);
    const [, cookie] = elementsOf(required(value, 0x30).content);
    return Buffer.from(required(cookie, 0x04).content);
  }
  return undefined;
}

function required(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new MalformedMessage('a message has an invalid structure');
  return element;
}
