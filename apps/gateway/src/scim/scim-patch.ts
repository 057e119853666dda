import { isDeepStrictEqual } from 'node:util';
import type { ScimDocument, ScimKind } from '@idsync/database';
import type { Filter } from 'scim2-parse-filter';
import { impliedBy, matcher, partsOf } from './match-filter.js';
import { documentOf, maxDocumentBytes, readValue } from './scim-document.js';
import { refused } from './scim-error.js';
import { termsOf } from './scim-filter.js';
import { parsePath, type ScimPath } from './scim-path.js';
import { type ScimAttribute, subAttribute } from './scim-schemas.js';

type Op = 'add' | 'remove' | 'replace';
type Json = Record<string, unknown>;

interface Operation {
  op: Op;
  path: ScimPath;
  value: unknown;
}

/** What a PATCH does to the members of a group: by the ids that clients know, `all` for everybody. */
export interface MemberEdit {
  op: Op;
  ids: readonly string[] | 'all';
}

/** Operations of a PATCH as both RFC 7644 and the identity providers write them. */
export interface ScimPatch {
  operations: Operation[];
  members: MemberEdit[];
}

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:patchop';
const maxOperations = 1_000;
/** Values that the operations of one PATCH look at, of all that there are and are to be. */
const maxLooks = 1_000_000;

/** Throws a 400 for what is no PATCH, and for paths that name nothing. */
export function readPatch(kind: ScimKind, body: Json): ScimPatch {
  const { schemas, Operations: list } = body;
  if (!Array.isArray(schemas) || !schemas.some((urn) => String(urn).toLowerCase() === patchSchema)) {
    throw refused('invalidSyntax', 'schemas must name urn:ietf:params:scim:api:messages:2.0:PatchOp');
  }
  if (!Array.isArray(list) || list.length === 0) throw refused('invalidSyntax', 'Operations must be a list');
  if (list.length > maxOperations) throw refused('tooMany', `there are more than ${maxOperations} operations`);
  const patch: ScimPatch = { operations: [], members: [] };
  let steps = 0;
  for (const given of list) {
    steps += isObject(given) && !given.path && isObject(given.value) ? Object.keys(given.value).length : 1;
    if (steps > maxOperations) throw refused('tooMany', `operations name more than ${maxOperations} things`);
    readOperation(kind, given, patch);
  }
  // What is said beyond who is a member has to find room in the resource.
  const values = patch.operations.map(({ value }) => value);
  if (Buffer.byteLength(JSON.stringify(values)) > maxDocumentBytes) {
    throw refused('tooMany', `the values of the operations are larger than ${maxDocumentBytes / 1024} KiB`);
  }
  return patch;
}

function readOperation(kind: ScimKind, given: unknown, patch: ScimPatch): void {
  if (!isObject(given)) throw refused('invalidSyntax', 'an operation must be an object');
  const op = String(given.op).toLowerCase();
  if (op !== 'add' && op !== 'remove' && op !== 'replace') {
    throw refused('invalidSyntax', `op must be add, remove or replace, and not "${String(given.op)}"`);
  }
  const { path, value } = given;
  if (path !== undefined && path !== null && typeof path !== 'string') {
    throw refused('invalidPath', 'path must be text');
  }
  if (path) {
    readStep(kind, op, path, value, patch);
    return;
  }
  if (op === 'remove') throw refused('noTarget', 'remove needs a path');
  if (!isObject(value)) throw refused('invalidValue', 'without a path, value must be an object');
  // Its names may be paths themselves: {"name.givenName": …, "urn:…:User:department": …}.
  for (const [name, part] of Object.entries(value)) {
    if (known(kind, name)) readStep(kind, op, name, part, patch);
  }
}

/** What a body says beyond what there is, is passed over; what a path names must be there. */
function known(kind: ScimKind, name: string): boolean {
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

/** Who is meant stands in the value, or, as in `members[value eq "…"]`, in the path. */
function memberEdit(op: Op, { filter, sub }: ScimPath, value: unknown): MemberEdit {
  if (sub !== undefined) throw refused('invalidPath', 'what a member is called cannot be changed');
  if (filter) {
    if (op !== 'remove') throw refused('invalidPath', 'members are added by their value, not by a filter');
    return { op, ids: idsIn(filter) };
  }
  if (value === undefined || value === null) return { op, ids: op === 'remove' ? 'all' : [] };
  return { op, ids: memberIds(value) };
}

/** Ids in a list of members, as texts or `{"value": …}`. */
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
  throw refused('invalidFilter', 'members are taken out by members[value eq "…"]');
}

/** The document after the operations; the one given stays as it is. Throws a 400 if one has no target or makes no sense. */
export function applyPatch(kind: ScimKind, before: ScimDocument, operations: readonly Operation[]): ScimDocument {
  const document = structuredClone(before);
  let looks = 0;
  for (const { op, path, value } of operations) {
    looks += looksOf(document, path, value);
    if (looks > maxLooks) throw refused('tooMany', 'the operations compare too many values');
    const container = path.urn === undefined ? document : part(document, path.urn);
    if (path.name === undefined) applyToExtension(document, op, path.urn ?? '', value);
    else applyTo(container, path.name, op, path, value);
  }
  return documentOf(kind, document);
}

/** How many values an operation compares with how many: nobody else is answered meanwhile. */
function looksOf(document: Json, { urn, name = '', attribute, filter }: ScimPath, value: unknown): number {
  const container = urn === undefined ? document : document[urn];
  const there = isObject(container) && Object.hasOwn(container, name) ? listOf(container[name]).length : 0;
  if (filter) return there * termsOf(filter);
  const given = listOf(value).length;
  return attribute?.multiValued ? given * (there + given) : 0;
}

function applyToExtension(document: Json, op: Op, urn: string, value: unknown): void {
  if (op === 'remove') delete document[urn];
  // What is not named stays, also by replace (RFC 7644, section 3.5.2.3).
  else document[urn] = { ...part(document, urn), ...objectOf(value, urn) };
}

function applyTo(container: Json, name: string, op: Op, { attribute, filter, sub }: ScimPath, given: unknown): void {
  if (filter) applyToMatching(container, name, op, { attribute, filter, sub }, given);
  else if (sub !== undefined) applyToPart(container, name, op, { attribute, sub }, given);
  else applyToWhole(container, name, op, attribute, given);
}

function applyToPart(
  container: Json,
  name: string,
  op: Op,
  { attribute, sub }: { attribute: ScimAttribute | undefined; sub: string },
  given: unknown,
): void {
  const value = op === 'remove' ? undefined : partOf(attribute, sub, given);
  const parts = attribute?.multiValued ? objectsIn(container[name]) : [part(container, name)];
  for (const each of parts) set(each, sub, value);
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
    set(container, name, attribute?.multiValued && value !== undefined ? less(before, value) : undefined);
  else if (attribute?.multiValued && op === 'add') set(container, name, more(before, value));
  else if (isObject(before) && isObject(value)) set(container, name, { ...before, ...value });
  else set(container, name, value);
}

/** `emails[type eq "work"].value`; one that is not there yet is made so that the filter matches it. */
function applyToMatching(
  container: Json,
  name: string,
  op: Op,
  { attribute, filter, sub }: ScimPath & { filter: Filter },
  given: unknown,
): void {
  const list = objectsIn(container[name]);
  const matches = matcher(filter, partsOf(attribute));
  const meant = list.filter(matches);
  if (op === 'remove') {
    const gone = new Set(meant);
    if (sub === undefined)
      set(
        container,
        name,
        list.filter((each) => !gone.has(each)),
      );
    else for (const each of meant) set(each, sub, undefined);
    return;
  }
  if (meant.length === 0) {
    const implied = impliedBy(filter);
    if (!implied) throw refused('noTarget', `no value of ${name} is what the path describes`);
    const made = attribute ? readValue({ ...attribute, multiValued: false }, implied) : implied;
    const added = objectOf(made, name);
    set(container, name, [...list, added]);
    meant.push(added);
  }
  const value = sub === undefined ? given : { [sub]: partOf(attribute, sub, given) };
  const parts = attribute ? readValue({ ...attribute, multiValued: false }, value) : value;
  for (const each of meant) Object.assign(each, objectOf(parts ?? {}, name));
}

function partOf(attribute: ScimAttribute | undefined, sub: string, given: unknown): unknown {
  const definition = attribute && subAttribute(attribute, sub);
  return definition ? readValue(definition, given) : given;
}

/** What is there already does not come twice; values that are the same but for what else they say are replaced. */
function more(before: unknown, added: unknown): unknown[] {
  const list = listOf(before);
  for (const value of listOf(added)) {
    const at = list.findIndex((there) => sameValue(there, value));
    if (at < 0) list.push(value);
    else list[at] = isObject(value) ? { ...objectOf(list[at], 'value'), ...value } : value;
  }
  return list;
}

function less(before: unknown, removed: unknown): unknown[] {
  return listOf(before).filter((there) => !listOf(removed).some((value) => sameValue(there, value)));
}

function sameValue(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (a.value === undefined || b.value === undefined) return isDeepStrictEqual(a, b);
  return a.value === b.value && (a.type === undefined || b.type === undefined || a.type === b.type);
}

/** The object under a name, made if there is none. */
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

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
