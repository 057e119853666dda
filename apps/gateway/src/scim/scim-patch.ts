import type { ScimDocument, ScimKind } from '@idsync/database/scim';
import type { Filter } from './parse-filter.js';
import { largestDocument, maxComparisons } from './scim-bounds.js';
import { documentOf, readValue } from './scim-document.js';
import { refused } from './scim-error.js';
import { impliedBy, matcher, termsOf } from './scim-filter.js';
import { parsePath, type ScimPath } from './scim-path.js';
import { attributesOf, type ScimAttribute, spelling, spellings, subAttribute } from './scim-schemas.js';
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
const namesPerValue = 20;
const charactersPerValue = 1_024;

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
    if (op === 'add' && value === undefined) throw refused('invalidValue', 'value is required for add');
    readStep(kind, op, path, value, patch);
    return;
  }
  if (op === 'remove') throw refused('noTarget', 'path is required for remove');
  if (!isObject(value)) throw refused('invalidValue', 'value must be an object if path is absent');
  // The names may be paths: {"name.givenName": …, "urn:…:User:department": …}. Okta sends the `id` among them.
  for (const [name, part] of Object.entries(value))
    if (parsePath(kind, name) !== 'read-only') readStep(kind, op, name, part, patch);
}

function readStep(kind: ScimKind, op: Op, text: string, value: unknown, { operations, members }: ScimPatch): void {
  const path = parsePath(kind, text);
  if (path === 'read-only') throw refused('mutability', `${text} is read-only`);
  if (path === 'ignored') return;
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
  const count = (more: number) => {
    comparisons += more;
    if (comparisons <= maxComparisons) return;
    throw refused('tooMany', `the operations must compare at most ${maxComparisons} values`);
  };
  for (const { op, path: given, value } of operations) {
    const path = located(document, given, value);
    count(namesCompared(document, path));
    if (path.name === undefined) {
      applyToExtension(kind, document, op, path.urn ?? '', value, count);
      continue;
    }
    const container = path.urn === undefined ? document : part(document, path.urn);
    count(valuesCompared(container[path.name], path, value));
    applyTo(container, path.name, op, path, value);
  }
  return documentOf(kind, document);
}

/** Returns the path with stored spellings, and decides whether it is the URN of an extension or of an attribute in one. */
function located(document: Json, path: ScimPath, value: unknown): ScimPath {
  const { urn, name, attribute, whole } = path;
  const [extension, container] = urn === undefined ? [undefined, document] : storedAt(document, urn);
  if (whole !== undefined) {
    const [spelt, stored] = storedAt(document, whole);
    // Without either, an attribute follows the name of a resource type, and the value of an extension is an object.
    const isExtension = stored ?? (!container && isObject(value) && !/:(user|group)$/i.test(urn ?? ''));
    if (isExtension) return { urn: spelt };
  }
  const isSpelt = attribute || name === undefined;
  return { ...path, ...(extension && { urn: extension }), ...(!isSpelt && { name: spelling(container, name) }) };
}

function storedAt(container: Json, name: string): [string, unknown] {
  const spelt = spelling(container, name);
  return [spelt, Object.hasOwn(container, spelt) ? container[spelt] : undefined];
}

/** Counts the names that an operation compares, which is faster than to compare values. */
function namesCompared(document: Json, { urn, attribute }: ScimPath): number {
  if (urn === undefined && attribute) return 0;
  const containers = urn === undefined ? [document] : [document, document[urn] ?? {}];
  return containers.reduce<number>(
    (sum, each) => sum + Math.floor(Object.keys(each as object).length / namesPerValue),
    0,
  );
}

/** Counts the values that an operation compares or copies. Bounded, because applying a patch blocks the event loop. */
function valuesCompared(before: unknown, { filter, sub }: ScimPath, value: unknown): number {
  const [there, given] = [sizeOf(before), sizeOf(value)];
  // Each condition looks at each value, and each value may get what is given.
  return filter || sub !== undefined ? there * Math.max(1, given, filter ? termsOf(filter) : 0) : there + given;
}

/** Returns the number of values in a list or an object, with all their parts; a long text counts as several. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Math.floor(value.length / charactersPerValue);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + Math.max(1, sizeOf(part)), 0);
}

function applyToExtension(
  kind: ScimKind,
  document: Json,
  op: Op,
  urn: string,
  value: unknown,
  count: (more: number) => void,
): void {
  if (op === 'remove') {
    delete document[urn];
    return;
  }
  // Unnamed attributes stay, even for replace (RFC 7644, section 3.5.2.3).
  const [before, attributes] = [part(document, urn), attributesOf(kind, urn)];
  const names = spellings(before);
  for (const [name, each] of Object.entries(objectOf(value, urn))) {
    const attribute = attributes?.get(name.toLowerCase());
    const spelt = attribute?.name ?? names.get(name.toLowerCase()) ?? name;
    count(valuesCompared(before[spelt], {}, each));
    applyToWhole(before, spelt, op, attribute, each);
  }
}

function applyTo(container: Json, name: string, op: Op, path: ScimPath, given: unknown): void {
  const { attribute, filter, sub } = path;
  if (filter) applyToMatching(container, name, op, { ...path, filter }, given);
  else if (sub === undefined) applyToWhole(container, name, op, attribute, given);
  else if (attribute?.multiValued || Array.isArray(container[name]))
    changeList(container, name, (list) => {
      setPart(list, op, attribute, sub, given);
      return list;
    });
  else setPart([part(container, name)], op, attribute, sub, given);
}

function applyToWhole(
  container: Json,
  name: string,
  op: Op,
  attribute: ScimAttribute | undefined,
  given: unknown,
): void {
  const value = attribute ? readValue(attribute, given) : (given ?? undefined);
  const before = Object.hasOwn(container, name) ? container[name] : undefined;
  // Without a schema, an attribute has several values if one of them is in a list.
  const isList = attribute ? attribute.multiValued : Array.isArray(before) || (op === 'add' && Array.isArray(value));
  if (op === 'remove' && isList && value !== undefined) changeList(container, name, (list) => withRemoved(list, value));
  else if (op === 'remove') delete container[name];
  else if (op === 'add' && isList) changeList(container, name, (list) => withAdded(list, value), value);
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
  const read = (value: unknown) => (attribute ? readValue({ ...attribute, multiValued: false }, value) : value);
  changeList(container, name, (list) => {
    const targets = new Set(list.filter(matcher(filter)));
    if (op === 'remove' && sub === undefined) return list.filter((each) => !targets.has(each));
    if (op !== 'remove' && targets.size === 0) {
      const added = objectOf(read(impliedTarget(filter, op, name)), name);
      list.push(added);
      targets.add(added);
    }
    if (sub !== undefined) setPart(targets, op, attribute, sub, given);
    else for (const each of targets) Object.assign(each, ...opened(read(given)));
    return list;
  });
}

/** Returns what a new value has. A value that is named by itself cannot be replaced by another one (RFC 7644, section 3.5.2.3). */
function impliedTarget(filter: Filter, op: Op, name: string): Json {
  const implied = impliedBy(filter);
  const isNamed = op === 'replace' && Object.keys(implied ?? {}).some((each) => each.toLowerCase() === 'value');
  if (!implied || isNamed) throw refused('noTarget', `no value of ${name} matches the filter of the path`);
  return implied;
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
  if (op !== 'remove') value = definition ? readValue(definition, given) : (given ?? undefined);
  for (const each of values) set(each, definition ? sub : spelling(each, sub), value);
}

/** Adds values without duplicates; a value with the same identity is merged. */
function withAdded(before: readonly Json[], added: unknown): unknown[] {
  const list = new ValueList(before);
  for (const value of opened(added)) list.add(value);
  return list.toArray();
}

function withRemoved(before: readonly Json[], removed: unknown): unknown[] {
  const removedValues = new ValueList(opened(removed));
  return before.filter((value) => !removedValues.has(value));
}

/**
 * Changes the values of an attribute as objects: a plain value is the `value` of one (RFC 7643, section 2.4). A list of plain values,
 * or one that begins with the plain values `added`, stays one.
 */
function changeList(container: Json, name: string, change: (list: Json[]) => unknown[], added?: unknown): void {
  const before = Object.hasOwn(container, name) ? container[name] : undefined;
  const after = change(opened(before)) as Json[];
  const [first] = listOf(before ?? added);
  const isPlain = first !== undefined && !isObject(first);
  const closed = isPlain ? after.map((each) => (Object.keys(each).join() === 'value' ? each.value : each)) : after;
  const isOne = before !== undefined && !Array.isArray(before) && closed.length < 2;
  set(container, name, isOne ? closed[0] : closed);
}

function opened(value: unknown): Json[] {
  return listOf(value).map((each) => (isObject(each) ? each : { value: each }));
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

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? [...value] : [value];
}

function objectOf(value: unknown, name: string): Json {
  if (!isObject(value)) throw refused('invalidValue', `${name} must be an object`);
  return value;
}
