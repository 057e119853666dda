import { ContextValue } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The audit log has an entry of this request. */
    audited?: boolean;
  }
}

const requests = new ContextValue<FastifyRequest>();

/** Returns the operator's request that the current work belongs to. */
export function currentOperatorRequest(): FastifyRequest {
  const request = requests.get();
  if (!request) throw new Error('an act of an operator belongs to a request');
  return request;
}

/** Returns the name of the operator: the one of the token where it is known, otherwise the claimed one. */
export function actorName(claimed: string): string {
  const { caller } = currentOperatorRequest();
  return caller?.access === 'operator' && caller.actor.kind === 'service_token' ? caller.actor.name : claimed;
}

/** Must be registered after authentication. */
export function registerOperatorRequests(server: FastifyInstance): void {
  // The async context is lost while a body is parsed, so it is entered after that.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.caller?.access === 'operator') requests.run(request, done);
    else done();
  });
}
