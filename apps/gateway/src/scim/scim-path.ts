import type { ScimKind } from '@idsync/database/scim';
import type { Filter } from './parse-filter.js';
import { refused } from './scim-error.js';
import { parseFilter } from './scim-filter.js';
import { attributesOf, enterpriseSchema, type ScimAttribute, schemaOf, subAttribute } from './scim-schemas.js';

/** Target of a PATCH operation, with the names under which values are stored. */
export interface ScimPath {
  /** The extension that contains it. */
  urn?: string;
  /** Undefined for the extension as a whole. */
  name?: string;
  /** Undefined in an unknown extension. */
  attribute?: ScimAttribute;
  /** Selects among several values. */
  filter?: Filter;
  sub?: string;
}

const maxPathLength = 1_024;
/** Names begin with a letter or `$`, which excludes inherited names such as `__proto__`. */
const steps = /^(?<name>[a-z$][\w$-]*)(?:\[(?<filter>.*)\])?(?:\.(?<sub>[a-z$][\w$-]*))?$/is;
const inherited = new Set(['constructor', 'prototype', 'tostring', 'valueof', 'hasownproperty']);

/**
 * Parses `name.givenName`, `emails[type eq "work"].value`, `urn:…:User:manager`. Returns undefined for ignored attributes: `id`,
 * `meta`, `schemas`, `groups` and passwords. Throws a 400 for an invalid path or an unknown attribute.
 */
export function parsePath(kind: ScimKind, text: string): ScimPath | undefined {
  if (text.length > maxPathLength) throw refused('invalidPath', `path must have at most ${maxPathLength} characters`);
  const { urn, rest } = splitUrn(kind, text.trim());
  if (rest === '' && urn !== undefined) return { urn };
  const { name = '', filter, sub } = steps.exec(rest)?.groups ?? {};
  if (name === '' || inherited.has(name.toLowerCase()) || inherited.has(sub?.toLowerCase() ?? '')) {
    throw refused('invalidPath', `"${text}" is not a path such as name.givenName or emails[type eq "work"].value`);
  }
  const attributes = attributesOf(kind, urn);
  const attribute = attributes?.get(name.toLowerCase());
  if (attributes && !attribute) {
    // Microsoft's examples name the manager without its schema.
    if (urn === undefined && attributesOf(kind, enterpriseSchema.id)?.has(name.toLowerCase()))
      return parsePath(kind, `${enterpriseSchema.id}:${rest}`);
    if (urn === undefined && ignoredNames.has(name.toLowerCase())) return undefined;
    throw refused('invalidPath', `"${name}" is not an attribute of a ${kind}`);
  }
  const part = attribute && sub !== undefined ? subAttribute(attribute, sub) : undefined;
  if (part?.mutability === 'readOnly') return undefined;
  if (attribute && sub !== undefined && !part)
    throw refused('invalidPath', `"${sub}" is not a sub-attribute of ${attribute.name}`);
  return {
    ...(urn !== undefined && { urn }),
    name: attribute?.name ?? name,
    ...(attribute && { attribute }),
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(sub !== undefined && { sub: part?.name ?? sub }),
  };
}

const ignoredNames = new Set(['id', 'meta', 'schemas', 'groups', 'password']);

/** Splits the URN of an extension, which contains dots and colons itself: a known URN, otherwise what precedes the last colon. */
function splitUrn(kind: ScimKind, text: string): { urn?: string; rest: string } {
  if (!/^urn:/i.test(text)) return { rest: text };
  for (const { id } of [schemaOf[kind], enterpriseSchema]) {
    if (!`${text}:`.toLowerCase().startsWith(`${id.toLowerCase()}:`)) continue;
    return { ...(id !== schemaOf[kind].id && { urn: id }), rest: text.slice(id.length + 1) };
  }
  const bracket = text.indexOf('[');
  const colon = text.lastIndexOf(':', bracket < 0 ? text.length : bracket);
  return { urn: text.slice(0, colon), rest: text.slice(colon + 1) };
}
