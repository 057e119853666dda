// The time of a read and the CPU time that its PostgreSQL process used, which noise on the machine changes less.
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';

export const headings = ['p50, ms', 'p95, ms', 'bare p95, ms', 'PostgreSQL CPU, ms', 'target, ms'];

/**
 * Measures `run(round)` of a connection with the backend `pid`. `cpu` is the mean of all rounds; '-' if the server is on
 * another machine. The first rounds, which plan the statement and read its pages, are not measured.
 */
export async function measure(pid, run, rounds = 100) {
  for (let round = 0; round < rounds / 5; round += 1) await run(round);
  const taken = [];
  const before = await cpuMs(pid);
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await run(round);
    taken.push(performance.now() - began);
  }
  const after = await cpuMs(pid);
  taken.sort((a, b) => a - b);
  const at = (share) => (taken[Math.floor(share * rounds)] ?? 0).toFixed(1);
  const cpu = before === undefined || after === undefined ? '-' : ((after - before) / rounds).toFixed(1);
  return { p50: at(0.5), p95: at(0.95), cpu };
}

/** Returns the id of the PostgreSQL process of a connection; `rows` runs a statement on it. */
export async function backendPid(rows) {
  const [{ pid }] = await rows('select pg_backend_pid() as pid');
  return pid;
}

async function cpuMs(pid) {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split(' ')[0]) / 1e6;
}

export function describeLoad() {
  return `load average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')}`;
}
