import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral range, so that no outgoing connection takes the port before the test listens. */
const lowest = 10_000;
const highest = 32_000;
/** Each worker of Jest has a range, so that two tests are never given a port on which neither listens yet. */
const shares = 10;
const size = (highest - lowest) / shares;
const first = lowest + ((Number(process.env.JEST_WORKER_ID) || 0) % shares) * size;
let next = randomInt(size);

/** Returns a port that is currently free, and none that the calls before have returned. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next;
    next = (next + 1) % size;
    const probe = createServer().listen(port, '127.0.0.1');
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
