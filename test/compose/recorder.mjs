// Keeps each delivery as it came, and tells them all on GET. What it has heard of `after` requests on is told only.
import { createServer } from 'node:http';

const deliveries = [];

createServer(async (request, response) => {
  if (request.method === 'GET') {
    const after = Number(new URL(request.url, 'http://recorder').searchParams.get('after'));
    return response.end(JSON.stringify(deliveries.slice(after)));
  }
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The sender went away in the middle: it was not delivered.
    return response.destroy();
  }
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith('webhook-')));
  deliveries.push({ headers, body: Buffer.concat(chunks).toString('utf8') });
  response.writeHead(204).end();
}).listen(4000);
