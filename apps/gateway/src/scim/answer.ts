import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends what clients of SCIM expect to be typed so. */
export function send(reply: FastifyReply, body: object): object {
  reply.type('application/scim+json; charset=utf-8');
  return body;
}

/** Where the caller reached us; behind a proxy only that knows the scheme, and it is told to nobody but the caller. */
export function baseOf(request: FastifyRequest): string {
  const [forwarded = ''] = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  const scheme = ['http', 'https'].includes(forwarded.trim()) ? forwarded.trim() : request.protocol;
  const [, connector = ''] = /^\/scim\/v2\/([^/?]+)/i.exec(request.url) ?? [];
  return `${scheme}://${request.host}/scim/v2/${connector}`;
}
