// A program: sends requests at a fixed rate regardless of the answers and measures each from its due time, so that
// stalls are visible. The first message says what to send, any further one ends the load; then it reports the results.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/**
 * Maximum requests in flight. Requests due beyond that wait; one that waits too long is not sent and counts as late,
 * not as failed.
 */
const maxInFlight = 200;
const lateAfterMs = 1_000;
const drainWithinMs = 60_000;
/** Text of the 503 by which a gateway sheds load. It is the answer to a saturated machine, so the request is repeated. */
const busyText = 'too many requests wait for the database';
const maxRepeats = 3;

const { url, apiKey, connectorId, identityIds, rate } = await nextMessage();
const pool = new Pool(url, { connections: maxInFlight, pipelining: 1 });
const run = randomUUID();
const reads = { 'x-api-key': apiKey };
const writes = { ...reads, 'content-type': 'application/json' };

const report = { due: 0, late: 0, busy: 0, failures: [], triggers: [] };
const times = [];
let open = 0;
let ended = false;
process.once('message', () => {
  ended = true;
});
process.once('disconnect', () => process.exit(1));

const began = performance.now();
process.send({ began: true });
while (!ended) {
  sendWhatIsDue(performance.now());
  await pause(1);
}
const seconds = (performance.now() - began) / 1_000;
for (const end = performance.now() + drainWithinMs; open > 0 && performance.now() < end; ) await pause(10);

times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const latencyMs = { p50: at(0.5), p99: at(0.99), most: at(1) };
process.send({ ...report, seconds, answered: times.length, unanswered: open, latencyMs }, () => process.exit(0));

function sendWhatIsDue(now) {
  for (;;) {
    const due = began + (report.due * 1_000) / rate;
    if (due > now) return;
    const isLate = now - due > lateAfterMs;
    if (open >= maxInFlight && !isLate) return;
    const number = report.due;
    report.due += 1;
    if (isLate) report.late += 1;
    else void timed(number, due);
  }
}

async function timed(number, due) {
  const { path, method = 'GET', key, isRight } = requestOf(number);
  const body = key && JSON.stringify({ connector_id: connectorId, idempotency_key: key });
  open += 1;
  let failure;
  try {
    const { answer, text } = await answered({ method, path, headers: body ? writes : reads, body });
    if (answer.statusCode !== (key ? 202 : 200)) failure = `${answer.statusCode} ${text.slice(0, 200)}`;
    else if (!isRight(text)) failure = `unexpected answer: ${text.slice(0, 200)}`;
  } catch (error) {
    failure = `${error.code ?? error.name} ${error.message}`;
  }
  open -= 1;
  if (key) report.triggers.push(key);
  if (failure) report.failures.push({ path, key, failure, afterMs: Math.round(performance.now() - began) });
  else times.push(performance.now() - due);
}

/** Repeats a request that is shed, after the time that the gateway names, as a client does. */
async function answered(request) {
  for (let repeats = 0; ; repeats += 1) {
    const answer = await pool.request(request);
    const text = await answer.body.text();
    const retryAfter = Number(answer.headers['retry-after']);
    if (answer.statusCode !== 503 || !text.includes(busyText) || !retryAfter || repeats === maxRepeats)
      return { answer, text };
    report.busy += 1;
    await pause(retryAfter * 1_000);
  }
}

/** Of ten requests, seven read an identity, two read a page of twenty, and one triggers a sync. */
function requestOf(number) {
  const kind = number % 10;
  if (kind === 9) {
    const key = `${run}-${number}`;
    return { path: '/v1/sync/trigger', method: 'POST', key, isRight: (text) => /^job_/.test(JSON.parse(text).job_id) };
  }
  if (kind < 7) {
    const id = identityIds[number % identityIds.length];
    return { path: `/v1/identities/${id}`, isRight: (text) => JSON.parse(text).id === id };
  }
  const offset = number % 50;
  return {
    path: `/v1/identities?limit=20&offset=${offset}`,
    isRight: (text) => {
      const page = JSON.parse(text);
      return page.total === identityIds.length && page.offset === offset && page.data.length === 20;
    },
  };
}

async function nextMessage() {
  return new Promise((resolve) => process.once('message', resolve));
}
