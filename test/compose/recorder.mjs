// Records each delivery; GET returns those after the first `after`. Between GET /hold and GET /release it answers none,
// so that they are certainly in flight when their sender is killed. GET /held returns their number.
import { createServer } from 'node:http';

const deliveries = [];
const held = [];
let holding = false;

const queries = {
  '/hold': () => {
    holding = true;
  },
  '/held': () => held.length,
  '/release': () => {
    holding = false;
    for (const answer of held.splice(0)) answer();
  },
};

createServer(async (request, response) => {
  if (request.method === 'GET') {
    const { pathname, searchParams } = new URL(request.url, 'http://recorder');
    const ask = queries[pathname] ?? (() => deliveries.slice(Number(searchParams.get('after'))));
    return response.end(JSON.stringify(ask() ?? null));
  }
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The sender disconnected during the request, so it was not delivered.
    return response.destroy();
  }
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-')));
  deliveries.push({ headers, body: Buffer.concat(chunks).toString('utf8') });
  const answer = () => response.writeHead(204).end();
  if (holding) held.push(answer);
  else answer();
}).listen(4000);
