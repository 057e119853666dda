import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const run = promisify(execFile);
const autocannon = createRequire(import.meta.url).resolve('autocannon');

/** Returns requests/s, bytes per response and the median in ms for eight clients that request `url` repeatedly. */
export async function load(url, seconds, headers = {}) {
  const words = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { stdout } = await run(
    process.execPath,
    [autocannon, '-j', '-n', '-c', '8', '-d', String(seconds), ...words, url],
    { maxBuffer: 1 << 24 },
  );
  const result = JSON.parse(stdout);
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} did not answer every request`);
  return {
    rate: result.requests.average,
    bytes: result.throughput.total / result.requests.total,
    ms: result.latency.p50,
  };
}
