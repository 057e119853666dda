import type { ScimDocument, ScimKind } from '@idsync/database/scim';
import { largestDocument, maxValues } from './scim-bounds.js';
import { refused } from './scim-error.js';
import {
  attributesOf,
  enterpriseSchema,
  ignoredNames,
  isUrn,
  membershipsOf,
  neverStored,
  readOnlyNames,
  type ScimAttribute,
  same,
  schemaOf,
  spellings,
  subAttribute,
} from './scim-schemas.js';
import { isObject } from './value-list.js';

const maxNameBytes = 1024;
const maxDepth = 8;
/**
 * Builds the document to store: attributes with their standard names and types, extensions by URN, and attributes without a schema as
 * they are. Ignores read-only attributes (`id`, `meta`, `groups`) and passwords. Throws a 400 for invalid values.
 */
export function documentOf(kind: ScimKind, body: Readonly<Record<string, unknown>>): ScimDocument {
  const [core, enterprise] = [attributesOf(kind), attributesOf(kind, enterpriseSchema.id)];
  const document: ScimDocument = {};
  const urns = spellings({ [enterpriseSchema.id]: true });
  const extend = (urn: string, given: unknown) => {
    const [name, part] = [urns.get(urn.toLowerCase()) ?? urn, extensionOf(kind, urn, given)];
    urns.set(name.toLowerCase(), name);
    if (part) document[name] = { ...(document[name] as object), ...part };
  };
  for (const [name, given] of topLevel(kind, body)) {
    const key = name.toLowerCase();
    if (isUrn(name)) extend(name, given);
    else if (!core?.has(key) && enterprise?.has(key)) extend(enterpriseSchema.id, { [name]: given });
    else if (!isStoredElsewhere(kind, key))
      Object.assign(
        document,
        attributesIn({ [name]: given }, () => core?.get(key)),
      );
  }
  requireKeepable(document);
  requireName(document, 'externalId', false);
  requireName(document, nameOf[kind], true);
  return withoutPasswords(document) as ScimDocument;
}

/** Returns the attributes of a body. Those under the URN of the core schema are the resource's own. */
export function topLevel(kind: ScimKind, body: object): [string, unknown][] {
  const given = Object.entries(body);
  const found: typeof given = [];
  for (const [name, value] of given) {
    if (!same(name, schemaOf[kind].id)) found.push([name, value]);
    else for (const each of Object.entries(partsOf(name, value))) given.push(each);
  }
  return found;
}

/** Removes passwords from the parts without a schema. */
function withoutPasswords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !neverStored.has(name.toLowerCase()));
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutPasswords(part)]));
}

/** Returns the document after a replacement, which does not decide the spelling of names, nor without `active` whether a user is active. */
export function replaced({ active, ...before }: ScimDocument, document: ScimDocument): ScimDocument {
  const names = spellings(before);
  const spelt = Object.entries(document).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]);
  return { ...(active !== undefined && { active }), ...Object.fromEntries(spelt) };
}

/** True for attributes that the service sets, that are not stored, or that are separate rows. */
function isStoredElsewhere(kind: ScimKind, key: string): boolean {
  return readOnlyNames.has(key) || ignoredNames.has(key) || key === membershipsOf[kind];
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
  if (!isObject(given) && !subAttribute(attribute, 'value')) return wrong(attribute, 'an object');
  const parts = isObject(given) ? given : { value: given };
  const read = attribute.name === 'roles' ? unpacked(parts) : parts;
  return orNothing(attributesIn(read, (name) => subAttribute(attribute, name), `${attribute.name}.`));
}

/** Entra ID sends several roles as JSON texts (`AppRoleAssignmentsComplex`). */
function unpacked(role: { value?: unknown }): object {
  if (typeof role.value !== 'string' || !role.value.startsWith('{')) return role;
  try {
    const { value, displayName } = JSON.parse(role.value);
    return typeof value === 'string' ? { display: displayName, ...role, value } : role;
  } catch {
    return role;
  }
}

/** Reads attributes by their schema, and those without a schema as they are. */
function attributesIn(
  given: object,
  find: (name: string) => ScimAttribute | undefined,
  prefix = '',
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = find(name);
    if (attribute?.mutability === 'readOnly' || neverStored.has(name.toLowerCase())) continue;
    const isNothing = value === null || (Array.isArray(value) && value.length === 0);
    const part = attribute
      ? readValue({ ...attribute, name: `${prefix}${attribute.name}` }, value)
      : isNothing
        ? undefined
        : value;
    if (part !== undefined) result[attribute?.name ?? name] = part;
  }
  return result;
}

function orNothing(value: object): object | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
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
  const attributes = attributesOf(kind, urn);
  const parts = Object.entries(partsOf(urn, given)).filter(
    ([name]) => !attributes || !isStoredElsewhere(kind, name.toLowerCase()),
  );
  return orNothing(attributesIn(Object.fromEntries(parts), (name) => attributes?.get(name.toLowerCase())));
}

function partsOf(urn: string, given: unknown): object {
  if (given === null || given === undefined) return {};
  if (!isObject(given)) throw refused('invalidValue', `${urn} must be an object`);
  return given;
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
