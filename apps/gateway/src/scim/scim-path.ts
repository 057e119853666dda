import type { ScimKind } from '@idsync/database';
import { type Filter, parse } from 'scim2-parse-filter';
import { refused } from './scim-error.js';
import {
  attributesOf,
  canonicalUrn,
  enterpriseSchema,
  type ScimAttribute,
  schemaOf,
  subAttribute,
} from './scim-schemas.js';

/** What an operation of a PATCH is about, by the names that things are kept under. */
export interface ScimPath {
  /** The extension it is in. */
  urn?: string;
  /** Undefined for the extension as a whole. */
  name?: string;
  /** Undefined where the extension is not known. */
  attribute?: ScimAttribute;
  /** Which of several values. */
  filter?: Filter;
  sub?: string;
}

const maxPathLength = 1_024;
/** Begins with a letter, so that nothing which every object inherits by `__` is named. */
const steps = /^(?<name>[a-z$][\w$-]*)(?:\[(?<filter>.*)\])?(?:\.(?<sub>[a-z$][\w$-]*))?$/is;
const inherited = new Set(['constructor', 'prototype', 'tostring', 'valueof', 'hasownproperty']);

/**
 * Reads `name.givenName`, `emails[type eq "work"].value`, `urn:…:User:manager`. Undefined for what is ours to say and is passed
 * over: `id`, `meta`, `schemas`, `groups` and passwords. Throws a 400 for what is no path or names nothing.
 */
export function parsePath(kind: ScimKind, text: string): ScimPath | undefined {
  if (text.length > maxPathLength) throw refused('invalidPath', `a path is longer than ${maxPathLength} characters`);
  const { urn, rest } = splitUrn(kind, text.trim());
  if (rest === '' && urn !== undefined && urn !== schemaOf[kind].id) return { urn: canonicalUrn(urn) };
  const { name = '', filter, sub } = steps.exec(rest)?.groups ?? {};
  if (name === '' || inherited.has(name.toLowerCase()) || inherited.has(sub?.toLowerCase() ?? '')) {
    throw refused('invalidPath', `"${text}" is not a path such as name.givenName or emails[type eq "work"].value`);
  }
  const inExtension = urn !== undefined && urn.toLowerCase() !== schemaOf[kind].id.toLowerCase();
  const attributes = attributesOf(kind, urn);
  const attribute = attributes?.get(name.toLowerCase());
  if (attributes && !attribute) {
    if (!inExtension && ours.has(name.toLowerCase())) return undefined;
    throw refused('invalidPath', `"${name}" is not an attribute of a ${kind}`);
  }
  return {
    ...(inExtension && { urn: canonicalUrn(urn) }),
    name: attribute?.name ?? name,
    ...(attribute && { attribute }),
    ...(filter !== undefined && { filter: parseFilterText(filter) }),
    ...(sub !== undefined && { sub: canonicalSub(attribute, sub) }),
  };
}

const ours = new Set(['id', 'meta', 'schemas', 'groups', 'password']);

/** Throws a 400 for what is no filter. */
export function parseFilterText(text: string): Filter {
  try {
    return parse(text);
  } catch (error) {
    throw refused('invalidFilter', `"${text}" is not a filter: ${error instanceof Error ? error.message : error}`);
  }
}

/** The URN of a schema has dots and colons itself: known ones go first, and of others it ends before the last colon. */
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
  if (!sub) throw refused('invalidPath', `"${name}" is not a part of ${attribute.name}`);
  return sub.name;
}
