import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
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
  const cached = http.getRequest<FastifyRequest>().headers['if-none-match'];
  const reply = http.getResponse<FastifyReply>();
  return {
    hasVersion: cached !== undefined,
    setVersion: (version) => void reply.header('etag', version),
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
