import type { ScimDocument, ScimKind } from '@idsync/database/scim';
import type { Filter } from './parse-filter.js';
import { largestDocument, maxComparisons } from './scim-bounds.js';
import { documentOf, readValue } from './scim-document.js';
import { refused } from './scim-error.js';
import { impliedBy, matcher, termsOf } from './scim-filter.js';
import { parsePath, type ScimPath } from './scim-path.js';
import { type ScimAttribute, subAttribute } from './scim-schemas.js';
import { isObject, ValueList } from './value-list.js';

type Op = 'add' | 'remove' | 'replace';
type Json = Record<string, unknown>;

interface Operation {
  op: Op;
  path: ScimPath;
  value: unknown;
}

/** Change of a group's members by public ids, or `all`. */
export interface MemberEdit {
  op: Op;
  ids: readonly string[] | 'all';
}

/** A parsed PATCH, in the form of RFC 7644 or in the variants that identity providers send. */
export interface ScimPatch {
  operations: Operation[];
  members: MemberEdit[];
}

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:patchop';
const maxOperations = 1_000;

/** Parses a PATCH body. Throws a 400 for an invalid body or unknown paths. */
export function readPatch(kind: ScimKind, body: Json): ScimPatch {
  const { schemas, Operations: list } = body;
  if (!Array.isArray(schemas) || !schemas.some((urn) => String(urn).toLowerCase() === patchSchema)) {
    throw refused('invalidSyntax', 'schemas must contain urn:ietf:params:scim:api:messages:2.0:PatchOp');
  }
  if (!Array.isArray(list) || list.length === 0) throw refused('invalidSyntax', 'Operations must be a non-empty list');
  if (list.length > maxOperations)
    throw refused('tooMany', `Operations must have at most ${maxOperations} entries, got ${list.length}`);
  const patch: ScimPatch = { operations: [], members: [] };
  let steps = 0;
  for (const given of list) {
    steps += isObject(given) && !given.path && isObject(given.value) ? Object.keys(given.value).length : 1;
    if (steps > maxOperations) throw refused('tooMany', `Operations must change at most ${maxOperations} attributes`);
    readOperation(kind, given, patch);
  }
  // Values other than members must fit into the resource.
  const values = patch.operations.map(({ value }) => value);
  if (Buffer.byteLength(JSON.stringify(values)) > largestDocument) {
    throw refused('tooMany', `the values of all operations must have at most ${largestDocument / 1024} KiB`);
  }
  return patch;
}

function readOperation(kind: ScimKind, given: unknown, patch: ScimPatch): void {
  if (!isObject(given)) throw refused('invalidSyntax', 'an operation must be an object');
  if (typeof given.op !== 'string') throw refused('invalidSyntax', 'op must be add, remove or replace');
  const op = given.op.toLowerCase();
  if (op !== 'add' && op !== 'remove' && op !== 'replace') {
    throw refused('invalidSyntax', `op must be add, remove or replace, got "${given.op}"`);
  }
  const { path, value } = given;
  if (path !== undefined && path !== null && typeof path !== 'string') {
    throw refused('invalidPath', 'path must be text');
  }
  if (path) {
    readStep(kind, op, path, value, patch);
    return;
  }
  if (op === 'remove') throw refused('noTarget', 'path is required for remove');
  if (!isObject(value)) throw refused('invalidValue', 'value must be an object if path is absent');
  // The names may be paths: {"name.givenName": …, "urn:…:User:department": …}.
  for (const [name, part] of Object.entries(value)) {
    if (isKnown(kind, name)) readStep(kind, op, name, part, patch);
  }
}

/** Unknown names in a value are ignored, while an unknown `path` is an error. */
function isKnown(kind: ScimKind, name: string): boolean {
  try {
    return parsePath(kind, name) !== undefined;
  } catch {
    return false;
  }
}

function readStep(kind: ScimKind, op: Op, text: string, value: unknown, { operations, members }: ScimPatch): void {
  const path = parsePath(kind, text);
  if (!path) return;
  if (kind === 'Group' && path.name === 'members' && path.urn === undefined) members.push(memberEdit(op, path, value));
  else operations.push({ op, path, value });
}

/** Reads the member ids from the value, or from the path, as in `members[value eq "…"]`. */
function memberEdit(op: Op, { filter, sub }: ScimPath, value: unknown): MemberEdit {
  if (sub !== undefined) throw refused('invalidPath', 'sub-attributes of members cannot be changed');
  if (filter) {
    if (op !== 'remove') throw refused('invalidPath', 'members must be added by value, not by a filter');
    return { op, ids: idsIn(filter) };
  }
  if (value === undefined || value === null) return { op, ids: op === 'remove' ? 'all' : [] };
  return { op, ids: memberIds(value) };
}

/** Reads the ids of a list of members, which are texts or `{"value": …}`. */
export function memberIds(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((member) => {
    const id = isObject(member) ? member.value : member;
    if (typeof id !== 'string') throw refused('invalidValue', 'a member must have a value');
    return id;
  });
}

function idsIn(filter: Filter): string[] {
  if (filter.op === 'or' && 'filters' in filter) return filter.filters.flatMap(idsIn);
  if (filter.op === 'eq' && 'compValue' in filter && filter.attrPath.toLowerCase() === 'value') {
    return [String(filter.compValue)];
  }
  throw refused('invalidFilter', 'the filter of members must have the form members[value eq "…"]');
}

/** Returns a changed copy of the document. Throws a 400 if an operation is invalid or has no target. */
export function applyPatch(kind: ScimKind, before: ScimDocument, operations: readonly Operation[]): ScimDocument {
  const document = structuredClone(before);
  let comparisons = 0;
  for (const { op, path, value } of operations) {
    comparisons += comparisonsOf(document, path, value);
    if (comparisons > maxComparisons) {
      throw refused('tooMany', `the operations must compare at most ${maxComparisons} values`);
    }
    if (path.name === undefined) applyToExtension(document, op, path.urn ?? '', value);
    else applyTo(path.urn === undefined ? document : part(document, path.urn), path.name, op, path, value);
  }
  return documentOf(kind, document);
}

/** Counts the values that an operation compares. Bounded, because applying a patch blocks the event loop. */
function comparisonsOf(document: Json, { urn, name = '', attribute, filter }: ScimPath, value: unknown): number {
  const container = urn === undefined ? document : document[urn];
  const there = isObject(container) && Object.hasOwn(container, name) ? listOf(container[name]).length : 0;
  if (filter) return there * termsOf(filter);
  return attribute?.multiValued ? there + listOf(value).length : 0;
}

function applyToExtension(document: Json, op: Op, urn: string, value: unknown): void {
  if (op === 'remove') delete document[urn];
  // Unnamed attributes stay, even for replace (RFC 7644, section 3.5.2.3).
  else document[urn] = { ...part(document, urn), ...objectOf(value, urn) };
}

function applyTo(container: Json, name: string, op: Op, path: ScimPath, given: unknown): void {
  const { attribute, filter, sub } = path;
  if (filter) applyToMatching(container, name, op, { ...path, filter }, given);
  else if (sub === undefined) applyToWhole(container, name, op, attribute, given);
  else {
    const values = attribute?.multiValued ? objectsIn(container[name]) : [part(container, name)];
    setPart(values, op, attribute, sub, given);
  }
}

function applyToWhole(
  container: Json,
  name: string,
  op: Op,
  attribute: ScimAttribute | undefined,
  given: unknown,
): void {
  const value = attribute ? readValue(attribute, given) : given;
  const before = Object.hasOwn(container, name) ? container[name] : undefined;
  if (op === 'remove')
    set(container, name, attribute?.multiValued && value !== undefined ? withRemoved(before, value) : undefined);
  else if (attribute?.multiValued && op === 'add') set(container, name, withAdded(before, value));
  else if (isObject(before) && isObject(value)) set(container, name, { ...before, ...value });
  else set(container, name, value);
}

/** Applies to values that match a filter, as in `emails[type eq "work"].value`. Creates a matching value if there is none. */
function applyToMatching(
  container: Json,
  name: string,
  op: Op,
  { attribute, filter, sub }: ScimPath & { filter: Filter },
  given: unknown,
): void {
  const list = objectsIn(container[name]);
  const targets = new Set(list.filter(matcher(filter)));
  if (op === 'remove' && sub === undefined) {
    container[name] = list.filter((each) => !targets.has(each));
    return;
  }
  const read = (value: unknown) => (attribute ? readValue({ ...attribute, multiValued: false }, value) : value);
  if (op !== 'remove' && targets.size === 0) {
    const implied = impliedBy(filter);
    if (!implied) throw refused('noTarget', `no value of ${name} matches the filter of the path`);
    const added = objectOf(read(implied), name);
    container[name] = [...list, added];
    targets.add(added);
  }
  if (sub !== undefined) setPart(targets, op, attribute, sub, given);
  else for (const each of targets) Object.assign(each, objectOf(read(given) ?? {}, name));
}

/** Sets a sub-attribute of values, or removes it, as null does too. */
function setPart(
  values: Iterable<Json>,
  op: Op,
  attribute: ScimAttribute | undefined,
  sub: string,
  given: unknown,
): void {
  const definition = attribute && subAttribute(attribute, sub);
  let value: unknown;
  if (op !== 'remove') value = definition ? readValue(definition, given) : given;
  for (const each of values) set(each, sub, value);
}

/** Adds values without duplicates; a value with the same identity is merged. */
function withAdded(before: unknown, added: unknown): unknown[] {
  const list = new ValueList(listOf(before));
  for (const value of listOf(added)) list.add(value);
  return list.toArray();
}

function withRemoved(before: unknown, removed: unknown): unknown[] {
  const removedValues = new ValueList(listOf(removed));
  return listOf(before).filter((value) => !removedValues.has(value));
}

/** Returns the object under a name, and creates it if absent. */
function part(container: Json, name: string): Json {
  const there = Object.hasOwn(container, name) ? container[name] : undefined;
  if (isObject(there)) return there;
  const made: Json = {};
  container[name] = made;
  return made;
}

function set(container: Json, name: string, value: unknown): void {
  if (value === undefined) delete container[name];
  else container[name] = value;
}

function objectsIn(value: unknown): Json[] {
  return listOf(value).filter(isObject);
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? [...value] : [value];
}

function objectOf(value: unknown, name: string): Json {
  if (!isObject(value)) throw refused('invalidValue', `${name} must be an object`);
  return value;
}
