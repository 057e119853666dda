import { ContextValue } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperatorCaller } from '../access/caller.js';

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

/** Returns the operator of the request that the current work belongs to. */
export function currentOperator(): OperatorCaller {
  const { caller } = currentOperatorRequest();
  if (caller?.access !== 'operator') throw new Error('an act of an operator has a caller');
  return caller;
}

/** Returns the name of the operator: the one of its sign-in where it is known, otherwise the claimed one. */
export function actorName(claimed: string): string {
  const { kind, name } = currentOperator().actor;
  return kind === 'admin_token' ? claimed : name;
}

/** Must be registered after authentication. */
export function registerOperatorRequests(server: FastifyInstance): void {
  // The async context is lost while a body is parsed, so it is entered after that.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.caller?.access === 'operator') requests.run(request, done);
    else done();
  });
}
