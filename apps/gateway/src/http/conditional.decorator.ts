import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeDefinitionOf } from '../access/route-definition.js';
import { namesVersion } from './names-version.js';

/** The condition of a GET request on a version that the client has (RFC 9110, section 13.1.2). */
export interface Conditional {
  /** True if the client has some version. */
  readonly hasVersion: boolean;
  /** Sets the version of the response. */
  setVersion(version: string): void;
  /** If the client has this version, makes the response a 304 without a body and returns true. */
  isUnchanged(version: string): boolean;
}

export const IfNoneMatch = createParamDecorator((_: unknown, context: ExecutionContext): Conditional => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const reply = http.getResponse<FastifyReply>();
  const route = routeDefinitionOf(request);
  // SCIM is no route of the contracts. A handler may also have a route of operators, whose responses have no version.
  const isConditional = !route || route.conditional === true;
  const cached = isConditional ? request.headers['if-none-match'] : undefined;
  return {
    hasVersion: cached !== undefined,
    setVersion(version) {
      if (isConditional) reply.header('etag', version);
    },
    isUnchanged(version) {
      if (cached === undefined || !namesVersion(cached, version)) return false;
      reply.header('etag', version).status(304);
      return true;
    },
  };
});

/** Returns a document with its version, or nothing if the client has it. */
export function unlessUnchanged<Document>(
  condition: Conditional,
  version: string,
  document: Document,
): Document | undefined {
  if (condition.isUnchanged(version)) return undefined;
  condition.setVersion(version);
  return document;
}
