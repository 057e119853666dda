import type { FastifyRequest } from 'fastify';
import type { JsonBounds } from './json-bounds.js';

/** Bounds of one request body. */
export interface BodyBounds extends JsonBounds {
  bytes: number;
}

export const scimPrefix = '/scim/';

const depth = 64;
const names = 10_000;

export const bodyBounds = {
  standard: { bytes: 1024 * 1024, depth, values: 20_000, names },
  /** Larger, because a group is pushed with all of its members. */
  group: { bytes: 8 * 1024 * 1024, depth, values: 250_000, names },
} as const satisfies Record<string, BodyBounds>;

/** Returns the bounds for the matched route, as authentication does. */
export function boundsOf(request: FastifyRequest): BodyBounds {
  const isScim = request.routeOptions.url?.startsWith(scimPrefix) ?? false;
  return isScim && (request.params as { kinds?: string }).kinds === 'Groups' ? bodyBounds.group : bodyBounds.standard;
}
