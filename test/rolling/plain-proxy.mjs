// A program: a minimal load balancer. Each request goes to the next gateway that was ready at the last poll, on a
// kept-alive connection, without retries.
import { Agent, createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const [port, ...backends] = JSON.parse(process.argv[2]);
const pollMs = 50;
const agent = new Agent({ keepAlive: true });
let ready = [];
let turn = 0;

const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
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
    // The connection headers of a gateway must not be passed on: a client with a longer keep-alive than this side would
    // get a reset.
    const { connection: _connection, 'keep-alive': _keepAlive, ...passed } = answer.headers;
    outgoing.writeHead(answer.statusCode, passed);
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  forwarded.on('error', (error) =>
    outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(String(error)),
  );
  return incoming.pipe(forwarded);
});
server.listen(port, '127.0.0.1');

for (;;) {
  ready = (await Promise.all(backends.map(async (backend) => ((await isReady(backend)) ? [backend] : [])))).flat();
  await pause(pollMs);
}

function isReady({ readyUrl }) {
  return fetch(readyUrl).then(
    ({ ok, body }) => body.cancel().then(() => ok),
    () => false,
  );
}
