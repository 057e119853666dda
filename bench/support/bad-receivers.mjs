// Failing receivers in a separate process, each on its own port: one sends a byte a second, one never answers, one
// answers 429. Sends the ports over the process's channel, including one that refuses connections.
import { once } from 'node:events';
import { createServer } from 'node:http';

const answers = {
  'a byte a second': (response) => {
    response.writeHead(200, { 'content-length': '4000' });
    const timer = setInterval(() => response.write('.'), 1_000);
    response.once('close', () => clearInterval(timer));
  },
  'no answer': () => undefined,
  '429, Retry-After 2': (response) => response.writeHead(429, { 'retry-after': '2' }).end(),
};

const ports = {};
for (const [name, answer] of Object.entries(answers)) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports[name] = server.address().port;
}
const gone = createServer().listen(0, '127.0.0.1');
await once(gone, 'listening');
ports['connection refused'] = gone.address().port;
gone.close(() => process.send({ ports }));
process.once('disconnect', () => process.exit());
