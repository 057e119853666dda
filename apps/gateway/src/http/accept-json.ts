import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { type ApiError, badRequest } from './api-error.js';
import { type BodyBounds, boundsOf, scimPrefix } from './body-bounds.js';
import { exceededBound } from './json-bounds.js';

/** Bytes of a form. */
const maxForm = 65_536;
const notJson = badRequest('the body must be application/json');
const notUtf8 = badRequest('the body must be valid UTF-8');
const malformed = badRequest('the body must be valid JSON');
const poisoned = badRequest('the body must not contain the names __proto__ or constructor.prototype');

/** Accepts JSON bodies only. An empty body counts as none, because many clients send the content type without a body. */
export function acceptJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    ['application/json', 'application/scim+json'],
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      const isScim = request.headers['content-type']?.startsWith('application/scim+json');
      if (isScim && !request.url.startsWith(scimPrefix)) return done(notJson);
      if (body.length === 0) return done(null, undefined);
      if (!isUtf8(body)) return done(notUtf8);
      const excess = excessOf(body, boundsOf(request));
      if (excess) return done(excess);
      const text = body.toString('utf8');
      void parse(request, text, (error, value) => {
        if (error) done(isJson(text) ? poisoned : malformed);
        else done(null, value);
      });
    },
  );
}

/** Accepts a form on the one route whose callers are required to send one. Others must not receive what a page can send. */
export function acceptLogoutForm(server: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded';
  server.addContentTypeParser(type, { parseAs: 'string', bodyLimit: maxForm }, (request, body, done) => {
    const isLogout = request.routeOptions.url === '/admin/v1/session/oidc/backchannel-logout';
    if (isLogout) done(null, Object.fromEntries(new URLSearchParams(String(body))));
    else done(notJson);
  });
}

function excessOf(body: Buffer, most: BodyBounds): ApiError | undefined {
  switch (exceededBound(body, most)) {
    case 'depth':
      return badRequest(`the body must be nested at most ${most.depth} levels deep`);
    case 'values':
      return badRequest(`the body must have at most ${most.values} values`);
    case 'names':
      return badRequest(`the body must have at most ${most.names} names`);
    case undefined:
      return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
