// The limit for deliveries: the same signed POSTs with the same HTTP client and concurrency, without a database.
// Arguments: address, count, concurrency, bytes of a body. Prints deliveries/s.
import { randomBytes } from 'node:crypto';
import { httpSender } from '../../apps/webhook-dispatcher/dist/sending/http-sender.js';
import { signedHeaders } from '../../apps/webhook-dispatcher/dist/sign.js';

const [url, ...numbers] = process.argv.slice(2);
const [count, atOnce, bytes] = numbers.map(Number);
const sender = httpSender({ allowedCidrs: ['127.0.0.0/8'] });
const keys = [randomBytes(32)];
const filling = 'x'.repeat(bytes - 30);

let next = 0;
async function work() {
  while (next < count) {
    next += 1;
    const body = `{"sequence":${next},"data":"${filling}"}`;
    const headers = signedHeaders(
      { id: `evt_${next}`, timestamp: Math.floor(Date.now() / 1_000), body },
      { shared: keys },
    );
    const { outcome, error } = await sender.send({ url, headers, body });
    if (outcome !== 'delivered') throw new Error(`${outcome}: ${error}`);
  }
}

await Promise.all(Array.from({ length: atOnce }, work)).then(() => undefined);
const began = performance.now();
next = 0;
await Promise.all(Array.from({ length: atOnce }, work));
process.stdout.write(`${(1_000 * count) / (performance.now() - began)}\n`);
await sender.close();
