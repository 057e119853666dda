// A program: a load balancer as simple as they come. Each request goes to the next gateway that was ready at the last look, on a
// connection that is kept; nothing is tried twice.
import { Agent, createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const [port, ...backends] = JSON.parse(process.argv[2]);
const lookMs = 50;
const agent = new Agent({ keepAlive: true });
let ready = [];
let turn = 0;

createServer((incoming, outgoing) => {
  turn += 1;
  const backend = ready[turn % Math.max(ready.length, 1)];
  if (!backend) return outgoing.writeHead(502).end('no gateway is ready');
  const { method, url, headers } = incoming;
  const forwarded = request(`${backend.url}${url}`, {
    method,
    agent,
    headers: { ...headers, connection: 'keep-alive' },
  });
  forwarded.on('response', (answer) => {
    const { connection: _hop, ...told } = answer.headers;
    outgoing.writeHead(answer.statusCode, told);
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  forwarded.on('error', (error) =>
    outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(String(error)),
  );
  return incoming.pipe(forwarded);
}).listen(port, '127.0.0.1');

for (;;) {
  ready = (await Promise.all(backends.map(async (backend) => ((await isReady(backend)) ? [backend] : [])))).flat();
  await pause(lookMs);
}

function isReady({ readyUrl }) {
  return fetch(readyUrl).then(
    ({ ok, body }) => body.cancel().then(() => ok),
    () => false,
  );
}
