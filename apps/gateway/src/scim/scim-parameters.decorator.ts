import type { ScimScope } from '@idsync/database/scim';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { notFound } from '../http/api-error.js';
import { kindOf } from './scim-query.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>();

/** The tenant and connector of the caller's token, and the resource kind in the path. Throws a 404 for an unknown kind. */
export const Scope = createParamDecorator((_: unknown, context: ExecutionContext): ScimScope => {
  const { caller, params } = requestOf(context);
  const kind = kindOf((params as { kinds: string }).kinds);
  if (kind === undefined || caller?.access !== 'scim-token') throw notFound();
  return { tenantId: caller.tenantId, connectorId: caller.connectorId, kind };
});

/** The base URL of the connector's service as the caller sees it. */
export const BaseUrl = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const request = requestOf(context);
  const [, connector = ''] = /^\/scim\/v2\/([^/?]+)/i.exec(request.url) ?? [];
  return `${rootOf(request)}/${connector}`;
});

/** The base URL of the service that reads. */
export const ReaderUrl = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  rootOf(requestOf(context)),
);

/** `x-forwarded-proto` needs no trust, because only the caller sees the result. */
function rootOf(request: FastifyRequest): string {
  const [forwarded = ''] = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  const scheme = ['http', 'https'].includes(forwarded.trim()) ? forwarded.trim() : request.protocol;
  return `${scheme}://${request.host}/scim/v2`;
}
