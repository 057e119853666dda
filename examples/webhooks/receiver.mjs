// A small receiver that loses no event and processes none twice: WEBHOOK_SECRET=whsec_… node receiver.mjs
// It writes each event to a file before it answers; process the events from there. No dependencies.
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { verify } from './verify.mjs';

const { WEBHOOK_SECRET: secret, PORT = '4000', INBOX = 'inbox.ndjson' } = process.env;
const largestBody = 4 * 1024 * 1024;

const inbox = await open(INBOX, 'a+');
const lines = (await inbox.readFile('utf8')).split('\n');
// A crash can leave an incomplete last line. Its request was never answered, so the event is sent again.
const torn = Buffer.byteLength(lines.pop());
if (torn > 0) await inbox.truncate((await inbox.stat()).size - torn);
const taken = new Map(lines.map((line) => [JSON.parse(line).id, Promise.resolve()]));

// Writes one event at a time, so that lines never mix.
let last = Promise.resolve();

/** Resolves when the event is on disk. A second request for the same event waits for the first. */
function take(id, body) {
  if (!taken.has(id)) {
    const written = last.then(async () => {
      await inbox.appendFile(`${body}\n`);
      await inbox.sync();
    });
    last = written.catch(() => process.exit(1));
    taken.set(id, written);
  }
  return taken.get(id);
}

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    let length = 0;
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > largestBody) return response.writeHead(413, { connection: 'close' }).end();
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    try {
      verify(secret, request.headers, body);
    } catch (error) {
      return response.writeHead(401).end(error.message);
    }
    await take(request.headers['webhook-id'], body.toString('utf8'));
    response.writeHead(204).end();
  } catch {
    // The sender disconnected, or the disk is full: without a 2xx response the event is sent again.
    response.destroy();
  }
});
server.requestTimeout = 15_000;
server.listen(Number(PORT));
