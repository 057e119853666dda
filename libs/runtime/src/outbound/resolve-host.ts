import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { withTimeout } from '../waiting.js';

/** Returns every address of a name. Rejects if there is none, or on a timeout. */
export type ResolveHost = (host: string) => Promise<string[]>;

export class UnresolvedError extends Error {}

/** Maximum number of names waiting for the system resolver, which limits the wait behind a slow one. */
const maxSystemLookups = 20;

/**
 * Queries the name servers without occupying a thread: the four threads of the system resolver could all be blocked by
 * one slow zone. Only names unknown to them (hosts file) go to the system resolver, one at a time.
 */
export function hostResolver(timeoutMs: number): ResolveHost {
  let bySystem: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (host) => {
    // RFC 6761: localhost is not looked up.
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    const answers = Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const settled = await withTimeout(timeoutMs, answers, undefined).finally(() => resolver.cancel());
    if (!settled) throw new UnresolvedError(`no name server answered for ${host} within ${timeoutMs} ms`);
    const found = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    if (waiting >= maxSystemLookups) throw new UnresolvedError(`${host} has no address at the name servers`);
    waiting += 1;
    const asked = bySystem
      .then(() => withTimeout(timeoutMs, lookup(host, { all: true }), []))
      .catch((): LookupAddress[] => [])
      .finally(() => {
        waiting -= 1;
      });
    bySystem = asked;
    const known = await asked;
    if (known.length === 0) throw new UnresolvedError(`${host} has no address`);
    return known.map(({ address }) => address);
  };
}
