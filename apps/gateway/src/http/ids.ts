import { decodeId, type IdKind, idPrefixes } from '@idsync/contracts';
import { badRequest, orNotFound } from './api-error.js';

/** Decodes the uuid of a public id. Throws a 404 for an invalid id. */
export function uuidOf(kind: IdKind, id: string): string {
  return orNotFound(decodeId(kind, id));
}

/** Decodes the uuid of an optional id in a query or a body. Throws a 404 for an invalid id. */
export function optionalUuid(kind: IdKind, id: string | undefined): string | undefined {
  return id === undefined ? undefined : uuidOf(kind, id);
}

/** Decodes the uuid of an id in a body. Throws a 400 for an invalid id. */
export function bodyId(kinds: readonly IdKind[], id: string): string {
  for (const kind of kinds) {
    const uuid = decodeId(kind, id);
    if (uuid !== undefined) return uuid;
  }
  const forms = kinds.map((kind) => `${idPrefixes[kind]}_…`).join(' or ');
  throw badRequest(`id must have the form ${forms}, got ${JSON.stringify(id)}`);
}
