import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeDefinitionOf } from '../access/route-definition.js';
import { checkQueryParameters, prefersStrictHandling } from './query-parameters.js';

/**
 * Checks the names of query parameters on all `/v1` routes, before values are parsed. A guard, because a global
 * interceptor sends every response through an observable.
 */
@Injectable()
export class QueryParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const route = routeDefinitionOf(request);
    if (!route?.path.startsWith('/v1/')) return true;
    const strict = prefersStrictHandling(String(request.headers.prefer ?? ''));
    if (strict) http.getResponse<FastifyReply>().header('preference-applied', 'handling=strict');
    checkQueryParameters(route, Object.keys(request.query as object), strict);
    return true;
  }
}
