import type { ScimScope } from '@idsync/database/scim';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AttributeSelection } from './present-resource.js';
import { kindOf, type ScimQuery, selectionOf, showsMemberships } from './scim-query.js';
import { withoutRoute } from './without-route.js';

/** A request for resources of a connector. */
export interface ScimRequest {
  /** The tenant and connector of the caller's token, and the resource kind in the path. */
  scope: ScimScope;
  base: string;
  selection: AttributeSelection;
  /** Whether the response contains the members of a group, or the groups of a user. */
  withMemberships: boolean;
}

/** The request. Throws a 404, 405 or 501 for an unknown kind. */
export const Requested = createParamDecorator((_: unknown, context: ExecutionContext): ScimRequest => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { caller, params, query } = request;
  const kind = kindOf((params as { kinds: string }).kinds);
  if (kind === undefined || caller?.access !== 'scim-token') throw withoutRoute(request);
  const selection = selectionOf(query as ScimQuery);
  return {
    scope: { tenantId: caller.tenantId, connectorId: caller.connectorId, kind },
    base: baseOf(request),
    selection,
    withMemberships: showsMemberships(kind, selection),
  };
});

/** The base URL of the connector's service, or of the service that reads, as the caller sees it. */
export const BaseUrl = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  baseOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** `x-forwarded-proto` needs no trust, because only the caller sees the result. */
function baseOf({ headers, protocol, host, params }: FastifyRequest): string {
  const { connectorId } = params as { connectorId?: string };
  const [forwarded = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  const scheme = ['http', 'https'].includes(forwarded.trim()) ? forwarded.trim() : protocol;
  return `${scheme}://${host}/scim/v2${connectorId === undefined ? '' : `/${connectorId}`}`;
}
