import type { ScimKind } from '@idsync/database/scim';
import type { Filter } from './parse-filter.js';
import { refused } from './scim-error.js';
import { parseFilter } from './scim-filter.js';
import {
  attributesOf,
  enterpriseSchema,
  ignoredNames,
  isUrn,
  readOnlyNames,
  type ScimAttribute,
  schemaOf,
  subAttribute,
} from './scim-schemas.js';

/** Target of a PATCH operation, with the names under which values are stored. */
export interface ScimPath {
  /** The extension that contains it. */
  urn?: string;
  /** Undefined for the extension as a whole. */
  name?: string;
  /** Undefined without a schema. */
  attribute?: ScimAttribute;
  /** Selects among several values. */
  filter?: Filter;
  sub?: string;
  /** The path, if it may be the URN of an unknown extension, and not of an attribute in it. */
  whole?: string;
}

const maxPathLength = 1_024;
/** Names begin with a letter or `$`, which excludes inherited names such as `__proto__`. */
const steps = /^(?<name>[a-z$][\w$-]*)(?:\[(?<filter>.*)\])?(?:\.(?<sub>[a-z$][\w$-]*))?$/is;
const inherited = new Set(['constructor', 'prototype', 'tostring', 'valueof', 'hasownproperty']);

/** Without `[`, so that it has no filter. */
const uri = /^urn:[a-z0-9-]+:[^\s[\]"]+$/i;

/** Parses `name.givenName`, `emails[type eq "work"].value`, `urn:…:User:manager`. Throws a 400 for an invalid path. */
export function parsePath(kind: ScimKind, text: string): ScimPath | 'ignored' | 'read-only' {
  if (text.length > maxPathLength) throw refused('invalidPath', `path must have at most ${maxPathLength} characters`);
  const { urn, rest } = splitUrn(kind, text.trim());
  if (rest === '' && urn !== undefined) return { urn };
  const { name = '', filter, sub } = steps.exec(rest)?.groups ?? {};
  const [key, attributes] = [name.toLowerCase(), attributesOf(kind, urn)];
  if (name === '' && !attributes && uri.test(text.trim())) return { urn: text.trim() };
  if (name === '' || inherited.has(key) || inherited.has(sub?.toLowerCase() ?? ''))
    throw refused('invalidPath', `"${text}" is not a path such as name.givenName or emails[type eq "work"].value`);
  const attribute = attributes?.get(key);
  if (attributes && !attribute) {
    // Microsoft's examples name the manager without its schema.
    if (attributesOf(kind, enterpriseSchema.id)?.has(key)) return parsePath(kind, `${enterpriseSchema.id}:${rest}`);
    if (ignoredNames.has(key)) return 'ignored';
    if (readOnlyNames.has(key)) return 'read-only';
  }
  const part = attribute && sub !== undefined ? subAttribute(attribute, sub) : undefined;
  if (part?.mutability === 'readOnly') return 'read-only';
  return {
    ...(urn !== undefined && { urn }),
    name: attribute?.name ?? name,
    ...(attribute && { attribute }),
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(sub !== undefined && { sub: part?.name ?? sub }),
    ...(!attributes && filter === undefined && sub === undefined && { whole: text.trim() }),
  };
}

/** Splits the URN of an extension, which contains dots and colons itself: a known URN, otherwise what precedes the last colon. */
function splitUrn(kind: ScimKind, text: string): { urn?: string; rest: string } {
  if (!isUrn(text)) return { rest: text };
  for (const { id } of [schemaOf[kind], enterpriseSchema]) {
    if (!`${text}:`.toLowerCase().startsWith(`${id.toLowerCase()}:`)) continue;
    return { ...(id !== schemaOf[kind].id && { urn: id }), rest: text.slice(id.length + 1) };
  }
  const bracket = text.indexOf('[');
  const colon = text.lastIndexOf(':', bracket < 0 ? text.length : bracket);
  return { urn: text.slice(0, colon), rest: text.slice(colon + 1) };
}
