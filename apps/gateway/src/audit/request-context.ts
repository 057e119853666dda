import type { Share } from '@idsync/database';
import { ContextValue } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountOf, type OperatorCaller, publicIdOf, type Subscriber } from '../access/caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The audit log has an entry of this request. */
    audited?: boolean;
  }
}

const requests = new ContextValue<FastifyRequest>();

/** Returns the request that the current work belongs to. */
export function currentRequest(): FastifyRequest {
  const request = requests.get();
  if (!request) throw new Error('an act belongs to a request');
  return request;
}

/** Returns the client or the operator of the request that the current work belongs to. */
export function currentCaller(): Subscriber | OperatorCaller {
  const { caller } = currentRequest();
  if (!caller || caller.access === 'scim-token') throw new Error('an act has a client or an operator');
  return caller;
}

/** Returns the operator of the request that the current work belongs to. */
export function currentOperator(): OperatorCaller {
  const caller = currentCaller();
  if (caller.access !== 'operator') throw new Error('an act of an operator has a caller');
  return caller;
}

/** Returns the id of a client, or the name of an operator: that of its sign-in if it is known, otherwise the claimed one. */
export function actorName(claimed = ''): string {
  const caller = currentCaller();
  if (caller.access !== 'operator') return publicIdOf(caller);
  const { kind, name } = caller.actor;
  return kind === 'admin_token' ? claimed : name;
}

/** The fair-share account of the current request: its key and tenant, or the operator's, which no tenant can exhaust. */
export function currentShare(tenantId: string): Share {
  const caller = requests.get()?.caller;
  if (!caller) return { group: tenantId, member: tenantId };
  if (caller.access === 'operator') return { group: 'operator', member: 'operator' };
  return { group: caller.tenantId, member: accountOf(caller) };
}

/** Must be registered after authentication. */
export function registerRequests(server: FastifyInstance): void {
  // The async context is lost while a body is parsed, so it is entered after that.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.caller) requests.run(request, done);
    else done();
  });
}
