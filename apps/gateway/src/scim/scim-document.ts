import type { ScimDocument, ScimKind } from '@idsync/database';
import { refused } from './scim-error.js';
import { attributesOf, canonicalUrn, type ScimAttribute, subAttribute } from './scim-schemas.js';

export const maxDocumentBytes = 256 * 1024;
const maxNameBytes = 1024;
const maxDepth = 8;
/** Rows of their own, and not part of what a group says of itself. */
const elsewhere = new Set(['members']);

/**
 * What is kept of a body: known attributes by their standard names and types, extensions by their URN. What is ours to say (`id`,
 * `meta`, `groups`), passwords and unknown attributes are passed over. Throws a 400 for values that are none.
 */
export function documentOf(kind: ScimKind, body: Readonly<Record<string, unknown>>): ScimDocument {
  const document: ScimDocument = {};
  const keep = (name: string, value: unknown) => {
    if (value !== undefined) document[name] = value;
  };
  for (const [name, given] of Object.entries(body)) {
    if (/^urn:/i.test(name)) keep(canonicalUrn(name), extensionOf(kind, name, given));
    else {
      const attribute = attributesOf(kind)?.get(name.toLowerCase());
      if (attribute && !elsewhere.has(attribute.name)) keep(attribute.name, readValue(attribute, given));
    }
  }
  requireKeepable(document);
  requireName(document, 'externalId', false);
  requireName(document, nameOf[kind], true);
  return document;
}

const nameOf = { User: 'userName', Group: 'displayName' } as const;

/** What resources of the kind are found by. */
export function nameIn(kind: ScimKind, document: ScimDocument): string {
  return String(document[nameOf[kind]]);
}

/** A value as its definition wants it, where it can be understood so; undefined for none. Throws a 400 where it cannot. */
export function readValue(attribute: ScimAttribute, given: unknown): unknown {
  if (given === null || given === undefined) return undefined;
  if (!attribute.multiValued) return one(attribute, alone(attribute, given));
  const list = (Array.isArray(given) ? given : [given]).flatMap((value) => one(attribute, value) ?? []);
  return list.length === 0 ? undefined : withOnePrimary(list);
}

/** Entra ID writes a manager as a list of one. */
function alone(attribute: ScimAttribute, given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.length > 1 ? wrong(attribute, 'one value') : given[0];
}

function one(attribute: ScimAttribute, given: unknown): unknown {
  if (given === null || given === undefined) return undefined;
  if (attribute.type === 'complex') return complex(attribute, given);
  if (attribute.type === 'boolean') return truth(attribute, given);
  if (typeof given === 'object') return wrong(attribute, 'text');
  return String(given);
}

/** Some write the value of what has parts without its parts: a manager's id, an address of mail. */
function complex(attribute: ScimAttribute, given: unknown): object | undefined {
  if (Array.isArray(given)) return wrong(attribute, 'an object');
  // Nothing is written where there was something: it is to go.
  if (given === '') return undefined;
  const isObject = typeof given === 'object' && given !== null;
  if (!isObject && !subAttribute(attribute, 'value')) return wrong(attribute, 'an object');
  const parts = isObject ? given : { value: given };
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parts)) {
    const sub = subAttribute(attribute, name);
    if (sub?.mutability === 'readOnly') continue;
    const part = sub && readValue({ ...sub, name: `${attribute.name}.${sub.name}` }, value);
    if (sub && part !== undefined) kept[sub.name] = part;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** Entra ID writes "True" and "False". */
function truth(attribute: ScimAttribute, given: unknown): boolean {
  const text = String(given).toLowerCase();
  return text === 'true' || (text === 'false' ? false : wrong(attribute, 'true or false'));
}

/** The last that says it is primary is. */
function withOnePrimary(list: unknown[]): unknown[] {
  const isPrimary = (value: unknown) => (value as { primary?: boolean }).primary === true;
  const last = list.findLastIndex(isPrimary);
  return list.map((value, index) =>
    isPrimary(value) && index !== last ? { ...(value as object), primary: false } : value,
  );
}

function extensionOf(kind: ScimKind, urn: string, given: unknown): object | undefined {
  if (given === null || given === undefined) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) throw refused('invalidValue', `${urn} must be an object`);
  const attributes = attributesOf(kind, urn);
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = attributes?.get(name.toLowerCase());
    if (attributes && !attribute) continue;
    const part = attribute ? readValue(attribute, value) : (value ?? undefined);
    if (part !== undefined) kept[attribute?.name ?? name] = part;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function requireName(document: ScimDocument, name: string, needed: boolean): void {
  const value = document[name];
  if (value === undefined && !needed) return;
  if (typeof value !== 'string' || value.trim() === '') throw refused('invalidValue', `${name} is required`);
  if (Buffer.byteLength(value) > maxNameBytes) {
    throw refused('invalidValue', `${name} is longer than ${maxNameBytes} bytes`);
  }
}

function requireKeepable(document: ScimDocument): void {
  requireStorable(document, 0);
  if (Buffer.byteLength(JSON.stringify(document)) > maxDocumentBytes) {
    throw refused('invalidValue', `the resource is larger than ${maxDocumentBytes / 1024} KiB`);
  }
}

/** PostgreSQL keeps no NUL, and UTF-8 has no half of a character. */
function requireStorable(value: unknown, depth: number): void {
  if (typeof value === 'string' && /[\0\p{Surrogate}]/u.test(value)) {
    throw refused('invalidValue', 'text must not contain NUL or half of a character');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw refused('invalidValue', `the resource is nested more than ${maxDepth} deep`);
  for (const [name, part] of Object.entries(value)) {
    requireStorable(name, depth);
    requireStorable(part, depth + 1);
  }
}

function wrong({ name }: ScimAttribute, what: string): never {
  throw refused('invalidValue', `${name} must be ${what}`);
}
