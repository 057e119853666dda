import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { boundsOf } from '../http/body-bounds.js';
import { ConcurrencyLimiter, type Slot } from '../http/concurrency-limiter.js';
import { BoundedBody, tooLarge } from './bounded-body.js';
import {
  bodyMs,
  concurrencyLimits,
  largestDocument,
  membershipBytes,
  pageBytes,
  responseMs,
  slots,
} from './scim-bounds.js';
import { kindOf, omitsBody, type ScimQuery, selectionOf, showsMemberships } from './scim-query.js';

declare module 'fastify' {
  interface FastifyRequest {
    scimSlot?: RequestSlot;
  }
}

/**
 * Limits concurrent SCIM requests per tenant, before their body is read. The memory of a request counts until its response is sent.
 * Both the body and the response have a timeout.
 */
export function registerScimConcurrency(server: FastifyInstance): void {
  const limiter = new ConcurrencyLimiter(concurrencyLimits);
  const begin = async (request: FastifyRequest, reply: FastifyReply, tenantId: string) => {
    const body = bodyBytes(request, reply);
    const slot = await limiter.acquire(tenantId, body + answerBytes(request), slotsOf(request));
    request.scimSlot = new RequestSlot(slot, reply);
    return body > 0 ? new BoundedBody(request.raw, { bytes: boundsOf(request).bytes, ms: bodyMs }) : undefined;
  };
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { caller } = request;
    if (caller?.access !== 'scim-token') return done();
    return void begin(request, reply, caller.tenantId).then((body) => done(null, body ?? payload), done);
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    request.scimSlot?.answered(typeof payload === 'string' ? payload.length : 0);
    done();
  });
}

/** A slot that is freed when the work is done, and whose memory is freed when the response is sent or the connection closed. */
class RequestSlot {
  private isAnswered = false;

  constructor(
    private readonly slot: Slot,
    private readonly reply: FastifyReply,
  ) {
    if (reply.raw.closed) {
      slot.release();
      throw new ApiError(400, 'the client closed the connection');
    }
    reply.raw.once('close', () => {
      // The work continues without the client, so the slot stays taken until the response.
      if (this.isAnswered) slot.release();
    });
  }

  answered(bytes: number): void {
    this.isAnswered = true;
    const { raw, request } = this.reply;
    if (raw.closed) {
      this.slot.release();
      return;
    }
    this.slot.workDone(bytes);
    const timer = setTimeout(() => request.raw.destroy(), responseMs);
    raw.once('close', () => clearTimeout(timer));
  }
}

function slotsOf({ method }: FastifyRequest): number {
  return method === 'GET' || method === 'HEAD' ? slots.read : slots.push;
}

/** Returns the largest size the body can have. Throws a 413 if its declared length is too large. */
function bodyBytes(request: FastifyRequest, reply: FastifyReply): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const most = boundsOf(request).bytes;
  if (length === undefined) return encoding === undefined ? 0 : most;
  if (Number(length) <= most) return Number(length);
  reply.header('connection', 'close');
  throw tooLarge();
}

/** Returns the largest memory the response can need. */
function answerBytes({ method, params, query }: FastifyRequest): number {
  const { kinds = '', id } = params as { kinds?: string; id?: string };
  const kind = kindOf(kinds);
  if (kind === undefined || method === 'DELETE') return 0;
  const selection = selectionOf(query as ScimQuery);
  // A new user has no groups.
  const omitsMemberships = method === 'PATCH' ? omitsBody(kind, selection) : method === 'POST' && kind === 'User';
  const bytes = !omitsMemberships && showsMemberships(kind, selection) ? membershipBytes : 0;
  return bytes + (id === undefined && method !== 'POST' ? pageBytes : largestDocument);
}
