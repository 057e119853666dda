import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiKeyGuard } from './api-key.guard.js';
import type { Caller } from './caller.js';
import { OperatorGuard } from './operator.guard.js';
import { RateLimit } from './rate-limit.service.js';
import { matchedRouteOf } from './route-definition.js';
import { isScimRead, ScimKeyGuard } from './scim-key.guard.js';
import { ScimTokenGuard } from './scim-token.guard.js';

/**
 * Identifies the caller of a request before its body is read, also on paths below the API prefixes that match no route. Uses the
 * matched route instead of the URL, because one route can be written as many URLs.
 */
@Injectable()
export class Authentication {
  constructor(
    private readonly apiKeys: ApiKeyGuard,
    private readonly operators: OperatorGuard,
    private readonly scimTokens: ScimTokenGuard,
    private readonly scimKeys: ScimKeyGuard,
    private readonly rateLimit: RateLimit,
  ) {}

  /** Throws a 401 or 403, or a 429 or 503 if a key or an address sends too many requests. */
  async authenticate(request: FastifyRequest): Promise<void> {
    const caller = await this.callerOf(request);
    request.caller = caller;
    if (caller && 'keyId' in caller) await this.rateLimit.take(caller);
  }

  private callerOf(request: FastifyRequest): Caller | undefined | Promise<Caller> {
    const { url, definition: route } = matchedRouteOf(request);
    if (route?.auth === 'none') return undefined;
    const path = url ?? decodedPath(request.url);
    if (path.startsWith('/admin/')) return this.operators.identify(request);
    if (path.startsWith('/v1/') || path === '/v1') return this.apiKeys.identify(request, route);
    if (isScimRead(path)) return this.scimKeys.identify(request, path);
    if (path.startsWith('/scim/')) return this.scimTokens.identify(request);
    return undefined;
  }
}

function decodedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
