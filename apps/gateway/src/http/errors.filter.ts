import { errorTexts } from '@idsync/contracts';
import { DatabaseBusy, isTimeout, isUnavailable } from '@idsync/database';
import { Logger } from '@idsync/runtime';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeName } from '../access/route-definition.js';
import { scimErrorBody } from '../scim/scim-error.js';
import { MethodNotAllowed, withoutRoute } from '../scim/without-route.js';
import { ApiError } from './api-error.js';
import { scimPrefix } from './body-bounds.js';

/** Formats every error as `{"error": "<text>"}` or as a SCIM error. Internal details go to the log only. */
@Catch()
export class ErrorsFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.logger);
  }
}

export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const scim = request.url.startsWith(scimPrefix);
  // Nest throws its own exception if no route matches.
  const isWithoutRoute = thrown instanceof HttpException && thrown.getStatus() === 404;
  const cause = scim && isWithoutRoute ? withoutRoute(request) : thrown;
  const error = asUnavailable(cause) ?? cause;
  const { status, text } = answerTo(error, scim);
  // Expected refusals are not logged, because they can be numerous and are counted by status.
  const expected = cause instanceof ApiError || cause instanceof DatabaseBusy;
  if (status >= 500 && !expected) logger.error({ err: cause, request: routeName(request) }, 'request failed');
  if (error instanceof MethodNotAllowed) reply.header('allow', error.allowed);
  if (scim && status === 401) reply.header('www-authenticate', 'Bearer');
  if (error instanceof ApiError && error.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(error.retryAfterSeconds));
  }
  void reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(scim ? scimErrorBody(error, status, text) : { error: text }));
}

function answerTo(error: unknown, scim: boolean): { status: number; text: string } {
  if (error instanceof ApiError) return { status: error.status, text: error.message };
  if (error instanceof HttpException && error.getStatus() === 404) return { status: 404, text: errorTexts.notFound };
  const { statusCode } = error as { statusCode?: number };
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    if (status === 415 && scim) return { status, text: 'the body must be application/scim+json or application/json' };
    // The interface specification has no 415, so another content type counts as a malformed body.
    if (status === 415) return { status: 400, text: 'the body must be application/json' };
    return { status, text: status === 413 ? 'the body is too large' : 'the request is not valid' };
  }
  return { status: 500, text: errorTexts.internal };
}

const retryAfterSeconds = 5;
/** Longer, because the cause of a slow request needs time to pass. */
const retrySlowAfterSeconds = 30;

/** Maps a transient failure to a 503: the database is unavailable, busy, or timed out. Undefined for any other error. */
function asUnavailable(error: unknown): ApiError | undefined {
  if (error instanceof DatabaseBusy) return new ApiError(503, errorTexts.busy, retryAfterSeconds);
  if (isTimeout(error)) return new ApiError(503, errorTexts.tooSlow, retrySlowAfterSeconds);
  if (isUnavailable(error)) return new ApiError(503, errorTexts.unavailable, retryAfterSeconds);
  return undefined;
}
