// A program: delivers the jobs of a queue by the HTTP client and the signatures of idsync. Its argument is JSON.
import { randomBytes } from 'node:crypto';
import { httpSender } from '../../apps/webhook-dispatcher/dist/sending/http-sender.js';
import { signedHeaders } from '../../apps/webhook-dispatcher/dist/sign.js';

const { peer, concurrency, ...where } = JSON.parse(process.argv[2]);
const sender = httpSender({ allowedCidrs: ['127.0.0.0/8'] });
const keys = new Map();
const { open } = await import(`./programs/${peer}.mjs`);
const queue = await open(where);
await queue.work(deliver, concurrency);
process.send('ready');

process.once('disconnect', () => process.exit());
process.once('SIGTERM', async () => {
  await queue.close();
  await sender.close();
  process.exit();
});

async function deliver({ sequence, webhook, url, body }) {
  if (!keys.has(webhook)) keys.set(webhook, [randomBytes(32)]);
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders({ id: `evt_${sequence}`, timestamp, body }, { shared: keys.get(webhook) });
  const { outcome, error } = await sender.send({ url, headers, body });
  if (outcome !== 'delivered') throw new Error(`${outcome}: ${error}`);
}
