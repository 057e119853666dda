// A receiver in a separate process: answers 204 and records when. It is queried over the process's channel.
import { createServer } from 'node:http';

/** Milliseconds since 1970 with fractions, comparable between processes of the machine. */
const now = () => performance.timeOrigin + performance.now();
const sequenceOf = /"sequence":(\d+)/;

let times = [];
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const sequence = Number(sequenceOf.exec(Buffer.concat(chunks).toString('latin1'))?.[1]);
    response.writeHead(204).end();
    times.push([sequence, now()]);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

process.on('message', ({ ask }) => {
  if (ask === 'count') process.send({ count: times.length });
  if (ask === 'times') {
    process.send({ times });
    times = [];
  }
});
