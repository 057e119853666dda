import { lookup, Resolver } from 'node:dns/promises';

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
    const answers = within(timeoutMs, Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])).finally(
      () => resolver.cancel(),
    );
    const settled = await answers.catch(() => {
      throw new UnresolvedError(`no name server answered for ${host} within ${timeoutMs} ms`);
    });
    const found = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    if (waiting >= maxSystemLookups) throw new UnresolvedError(`${host} has no address at the name servers`);
    waiting += 1;
    const asked = bySystem
      .then(() => within(timeoutMs, lookup(host, { all: true })))
      .catch(() => [])
      .finally(() => {
        waiting -= 1;
      });
    bySystem = asked;
    const known = await asked;
    if (known.length === 0) throw new UnresolvedError(`${host} has no address`);
    return known.map(({ address }) => address);
  };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
