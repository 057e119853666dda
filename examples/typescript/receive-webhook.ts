// Receives webhooks: WEBHOOK_SECRET=whsec_… PORT=4000
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from '@idsync/client';

const { WEBHOOK_SECRET: secret = '', PORT = '4000' } = process.env;

const longest = 1_048_576;

const server = createServer(async (request, response) => {
  // Anyone can send a request, so nothing longer is read. idsync always sends the length.
  if (!(Number(request.headers['content-length']) <= longest)) return response.writeHead(413).end();
  // The raw text: a parsed and serialized body is another one.
  const body = await text(request);
  try {
    const event = verifyWebhook({ body, headers: request.headers, secret });
    // Store the event by its id before you answer, because it may be sent again.
    console.log(`${event.sequence} ${event.type} ${event.id}`);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});
server.listen(Number(PORT));
