import { createHash } from 'node:crypto';

/** Part of the version of every page: increase it when the form of pages or of the resources on them changes. */
const pageForm = 1;
/** Random part of a UUIDv7, so that versions of different tenants differ. */
const tailLength = 12;

/** Returns the ETag of a document: a hash of its text. */
export function versionOfDocument(text: string): string {
  return `"${createHash('sha1').update(text).digest('base64url')}"`;
}

/** Returns the ETag of every page of a tenant at a position. It differs after any change of the tenant. */
export function versionOfPages(tenantId: string, position: string): string {
  return `"${pageForm}-${tenantId.slice(-tailLength)}-${position}"`;
}
