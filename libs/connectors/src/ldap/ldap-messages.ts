import { type Element, elementsOf, integerOf, MalformedMessage } from './ber.js';

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
