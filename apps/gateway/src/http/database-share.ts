import type { Share } from '@idsync/database';
import { ContextValue } from '@idsync/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountOf } from '../access/caller.js';

const shares = new ContextValue<Share>();

/** The fair-share account of the current request: its key and tenant, or the operator's, which no tenant can exhaust. */
export function currentShare(tenantId: string): Share {
  return shares.get() ?? { group: tenantId, member: tenantId };
}

/** Must be registered after authentication. */
export function registerDatabaseShares(server: FastifyInstance): void {
  // The async context is lost while a body is parsed, so it is entered after that.
  server.addHook('preValidation', (request, _reply, done) => {
    const share = shareOf(request);
    if (share) shares.run(share, done);
    else done();
  });
}

function shareOf({ caller }: FastifyRequest): Share | undefined {
  if (caller?.access === 'operator') return { group: 'operator', member: 'operator' };
  return caller && { group: caller.tenantId, member: accountOf(caller) };
}
