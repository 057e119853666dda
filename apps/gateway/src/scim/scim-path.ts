import type { ScimKind } from '@idsync/database/scim';
import type { Filter } from 'scim2-parse-filter';
import { refused } from './scim-error.js';
import { parseFilter } from './scim-filter.js';
import {
  attributesOf,
  canonicalUrn,
  enterpriseSchema,
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
  if (rest === '' && urn !== undefined && urn !== schemaOf[kind].id) return { urn: canonicalUrn(urn) };
  const { name = '', filter, sub } = steps.exec(rest)?.groups ?? {};
  if (name === '' || inherited.has(name.toLowerCase()) || inherited.has(sub?.toLowerCase() ?? '')) {
    throw refused('invalidPath', `"${text}" is not a path such as name.givenName or emails[type eq "work"].value`);
  }
  const inExtension = urn !== undefined && urn.toLowerCase() !== schemaOf[kind].id.toLowerCase();
  // Microsoft's examples name the manager without its schema.
  if (urn === undefined && !attributesOf(kind)?.has(name.toLowerCase())) {
    if (attributesOf(kind, enterpriseSchema.id)?.has(name.toLowerCase()))
      return parsePath(kind, `${enterpriseSchema.id}:${rest}`);
  }
  const attributes = attributesOf(kind, urn);
  const attribute = attributes?.get(name.toLowerCase());
  if (attributes && !attribute) {
    if (!inExtension && ignoredNames.has(name.toLowerCase())) return undefined;
    throw refused('invalidPath', `"${name}" is not an attribute of a ${kind}`);
  }
  if (attribute && sub !== undefined && subAttribute(attribute, sub)?.mutability === 'readOnly') return undefined;
  return {
    ...(inExtension && { urn: canonicalUrn(urn) }),
    name: attribute?.name ?? name,
    ...(attribute && { attribute }),
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(sub !== undefined && { sub: canonicalSub(attribute, sub) }),
  };
}

const ignoredNames = new Set(['id', 'meta', 'schemas', 'groups', 'password']);

/** Splits the URN of a schema, which contains dots and colons itself: known URNs first, otherwise before the last colon. */
function splitUrn(kind: ScimKind, text: string): { urn?: string; rest: string } {
  if (!/^urn:/i.test(text)) return { rest: text };
  for (const { id } of [schemaOf[kind], enterpriseSchema]) {
    if (text.toLowerCase() === id.toLowerCase()) return { urn: id, rest: '' };
    if (text.toLowerCase().startsWith(`${id.toLowerCase()}:`)) return { urn: id, rest: text.slice(id.length + 1) };
  }
  const bracket = text.indexOf('[');
  const colon = (bracket < 0 ? text : text.slice(0, bracket)).lastIndexOf(':');
  return { urn: text.slice(0, colon), rest: text.slice(colon + 1) };
}

function canonicalSub(attribute: ScimAttribute | undefined, name: string): string {
  if (!attribute) return name;
  const sub = subAttribute(attribute, name);
  if (!sub) throw refused('invalidPath', `"${name}" is not a sub-attribute of ${attribute.name}`);
  return sub.name;
}
