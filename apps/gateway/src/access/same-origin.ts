import { parseUrl } from '@idsync/contracts';
import type { FastifyRequest } from 'fastify';

const reading = new Set(['GET', 'HEAD']);

export function isRead({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return reading.has(method);
}

/** Returns the origin of the gateway as browsers see it. */
export function ownOrigin({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>, publicUrl?: string): string {
  return publicUrl ?? `${protocol}://${host}`;
}

/**
 * Returns false if a page of another origin sent the request. `Sec-Fetch-Site` decides if the browser sends it. Otherwise only
 * the host of `Origin` is compared, because a proxy may have ended TLS. Programs send neither.
 */
export function isSameOrigin(request: Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>, publicUrl?: string) {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  const host = parseUrl(origin)?.host;
  return host !== undefined && host === parseUrl(ownOrigin(request, publicUrl))?.host;
}
