// Keeps each delivery as it came, and on GET tells those after the first `after`. It takes its time, as receivers do: some are under
// way whenever their sender is killed.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const answersAfterMs = 20;

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
  await pause(answersAfterMs);
  response.writeHead(204).end();
}).listen(4000);
