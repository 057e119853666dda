import { errorTexts } from '@idsync/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import { scimErrorBody } from './scim/scim-error.js';

type Log = (error: unknown, request: string) => void;

/** Every error of every kind leaves as `{"error": "<text>"}`, or as SCIM has it; what is not for clients goes to the log. */
@Catch()
export class ErrorsFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.log);
  }
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const { status, text } = answerTo(error, request.url.startsWith('/scim/'));
  if (status >= 500 && !(error instanceof ApiError)) log(error, `${request.method} ${request.url.split('?', 1)[0]}`);
  const scim = request.url.startsWith('/scim/');
  if (scim && status === 401) reply.header('www-authenticate', 'Bearer');
  if (error instanceof ApiError && error.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(error.retryAfterSeconds));
  }
  void reply
    .status(status)
    .type(`application/${scim ? 'scim+json' : 'json'}; charset=utf-8`)
    .send(JSON.stringify(scim ? scimErrorBody(error, status, text) : { error: text }));
}

function answerTo(error: unknown, scim: boolean): { status: number; text: string } {
  if (error instanceof ApiError) return { status: error.status, text: error.message };
  // Nest's own is thrown where no route matched.
  if (error instanceof HttpException && error.getStatus() === 404) return { status: 404, text: errorTexts.notFound };
  const { statusCode } = error as { statusCode?: number };
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    if (status === 415 && scim) return { status, text: 'the body must be application/scim+json or application/json' };
    // The interface knows no 415: a body of another type is a malformed one.
    if (status === 415) return { status: 400, text: 'the body must be application/json' };
    return { status, text: status === 413 ? 'the body is too large' : 'the request is not valid' };
  }
  return { status: 500, text: errorTexts.internal };
}
