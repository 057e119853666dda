import { lookup, Resolver } from 'node:dns/promises';

/** Every address of a name. Rejects if there is none, or nobody answers in time. */
export type ResolveHost = (host: string) => Promise<string[]>;

export class UnresolvedError extends Error {}

/** Names that wait for the system at the most: behind a slow one, nobody waits for long. */
const waitingForSystem = 20;

/**
 * Asks the name servers, which takes no thread: the four threads that look-ups by the system share could all be held by one slow
 * zone. Names that only the system knows (its hosts file) are asked of it afterwards, one at a time.
 */
export function hostResolver(timeoutMs: number): ResolveHost {
  let bySystem: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (host) => {
    // RFC 6761: never asked of anybody.
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
    if (waiting >= waitingForSystem) throw new UnresolvedError(`${host} has no address that name servers know`);
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
