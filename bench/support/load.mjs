import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { installApart } from '../../tools/install-apart.mjs';

const run = promisify(execFile);
const folder = new URL('../load/', import.meta.url);
installApart(folder);
const autocannon = createRequire(folder).resolve('autocannon');

/** Returns requests/s, bytes per response and the median in ms for eight clients that request `url` repeatedly. */
export async function load(url, seconds, headers = {}) {
  return send(url, ['-c', '8', '-d', String(seconds)], headers);
}

/**
 * Sends requests from `clients` for this time, GET or POST with `body`. Returns the same figures, their number, and the
 * 99th percentile in ms. For a number of requests, autocannon would round the time up to whole seconds.
 */
export async function loadOf(url, seconds, clients, headers = {}, body = undefined) {
  const content = body === undefined ? [] : ['-m', 'POST', '-b', body];
  return send(url, ['-c', String(clients), '-d', String(seconds), ...content], headers);
}

async function send(url, options, headers) {
  const words = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { stdout } = await run(process.execPath, [autocannon, '-j', '-n', ...options, ...words, url], {
    maxBuffer: 1 << 24,
  });
  const result = JSON.parse(stdout);
  const unexpected = result.non2xx - (result.statusCodeStats?.[304]?.count ?? 0);
  if (unexpected > 0 || result.errors > 0) throw new Error(`${url} did not answer every request`);
  return {
    requests: result.requests.total,
    rate: result.requests.total / result.duration,
    bytes: result.throughput.total / result.requests.total,
    ms: result.latency.p50,
    p99: result.latency.p99,
  };
}
