// CPU time of processes from the kernel. Noise on the machine changes it less than rates.
import { readFile } from 'node:fs/promises';

/** Returns the user and system time of a process in seconds; 0 if it has ended. */
export async function cpuSeconds(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return 0;
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

/** Returns the CPU seconds of the connections of a database; PostgreSQL must run on this machine. */
export async function connectionSeconds(client) {
  const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
  return new Map(await Promise.all(rows.map(async ({ pid }) => [pid, await cpuSeconds(pid)])));
}

/** Returns the CPU seconds between two results of `connectionSeconds`. A connection that was closed counts nothing. */
export function secondsBetween(before, after) {
  return [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
}
