import type { ScimDocument, ScimKind } from '@idsync/database/scim';
import { largestDocument, maxValues } from './scim-bounds.js';
import { refused } from './scim-error.js';
import { attributesOf, canonicalUrn, type ScimAttribute, subAttribute } from './scim-schemas.js';

const maxNameBytes = 1024;
const maxDepth = 8;
/** Stored as separate rows, not in the document. */
const storedSeparately = new Set(['members']);

/**
 * Builds the document to store: known attributes with their standard names and types, extensions by URN. Ignores read-only attributes
 * (`id`, `meta`, `groups`), passwords and unknown attributes. Throws a 400 for invalid values.
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
      if (attribute && !storedSeparately.has(attribute.name)) keep(attribute.name, readValue(attribute, given));
    }
  }
  requireKeepable(document);
  requireName(document, 'externalId', false);
  requireName(document, nameOf[kind], true);
  return document;
}

const nameOf = { User: 'userName', Group: 'displayName' } as const;

/** Returns the name by which a resource is looked up. */
export function nameIn(kind: ScimKind, document: ScimDocument): string {
  return String(document[nameOf[kind]]);
}

/** Converts a value to the type of its attribute; undefined for no value. Throws a 400 if it cannot be converted. */
export function readValue(attribute: ScimAttribute, given: unknown): unknown {
  if (given === null || given === undefined) return undefined;
  if (!attribute.multiValued) return one(attribute, unwrapped(attribute, given));
  const list = (Array.isArray(given) ? given : [given]).flatMap((value) => one(attribute, value) ?? []);
  return list.length === 0 ? undefined : withOnePrimary(list);
}

/** Unwraps a single-valued attribute: Entra ID sends a manager as a list of one. */
function unwrapped(attribute: ScimAttribute, given: unknown): unknown {
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

/** Reads a complex value. Some clients send its plain `value` instead: the id of a manager, an email address. */
function complex(attribute: ScimAttribute, given: unknown): object | undefined {
  if (Array.isArray(given)) return wrong(attribute, 'an object');
  // An empty text removes the value.
  if (given === '') return undefined;
  const isObject = typeof given === 'object' && given !== null;
  if (!isObject && !subAttribute(attribute, 'value')) return wrong(attribute, 'an object');
  const parts = isObject ? given : { value: given };
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parts)) {
    const sub = subAttribute(attribute, name);
    if (sub?.mutability === 'readOnly') continue;
    const part = sub && readValue({ ...sub, name: `${attribute.name}.${sub.name}` }, value);
    if (sub && part !== undefined) result[sub.name] = part;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Reads a boolean; Entra ID sends "True" and "False". */
function truth(attribute: ScimAttribute, given: unknown): boolean {
  const text = String(given).toLowerCase();
  return text === 'true' || (text === 'false' ? false : wrong(attribute, 'true or false'));
}

/** Keeps only the last value that is marked as primary. */
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
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = attributes?.get(name.toLowerCase());
    if (attributes && !attribute) continue;
    const part = attribute ? readValue(attribute, value) : (value ?? undefined);
    if (part !== undefined) result[attribute?.name ?? name] = part;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

function requireName(document: ScimDocument, name: string, needed: boolean): void {
  const value = document[name];
  if (value === undefined && !needed) return;
  if (typeof value !== 'string' || value.trim() === '') throw refused('invalidValue', `${name} is required`);
  if (Buffer.byteLength(value) > maxNameBytes) {
    throw refused('invalidValue', `${name} must have at most ${maxNameBytes} bytes`);
  }
}

function requireKeepable(document: ScimDocument): void {
  requireStorable(document, 0);
  if (countValues(document) > maxValues)
    throw refused('invalidValue', `the resource must have at most ${maxValues} values`);
  if (Buffer.byteLength(JSON.stringify(document)) > largestDocument) {
    throw refused('invalidValue', `the resource must have at most ${largestDocument / 1024} KiB`);
  }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + countValues(part), 1);
}

/** Rejects NUL, which PostgreSQL cannot store, and unpaired surrogates, which UTF-8 cannot encode. */
function requireStorable(value: unknown, depth: number): void {
  if (typeof value === 'string' && /[\0\p{Surrogate}]/u.test(value)) {
    throw refused('invalidValue', 'text must not contain NUL or an unpaired surrogate');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw refused('invalidValue', `the resource must be nested at most ${maxDepth} levels deep`);
  for (const [name, part] of Object.entries(value)) {
    requireStorable(name, depth);
    requireStorable(part, depth + 1);
  }
}

function wrong({ name }: ScimAttribute, what: string): never {
  throw refused('invalidValue', `${name} must be ${what}`);
}
