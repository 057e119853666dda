// CPU time of processes from the kernel. Noise on the machine changes it less than rates.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The state of a listening socket in /proc/net/tcp. */
const listening = '0A';

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

/** Returns user and system time of each service, and of the embedded PostgreSQL with all its processes, also ended ones. */
export async function servicesSeconds(services, folder) {
  const stats = await allStats();
  const own = ({ pid }) => stats.find((stat) => stat.pid === pid);
  return [...[...services.children.values()].map((child) => own(child).used), await postgresSeconds(folder, stats)];
}

/** Returns user and system time of the embedded PostgreSQL with all its processes, also ended ones. */
export function postgresSeconds(folder, stats) {
  return serverSeconds(join(folder, 'data/postgres'), stats);
}

/** Returns the same of a PostgreSQL with this data directory. */
export async function serverSeconds(dataDir, stats) {
  const postmaster = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  return (stats ?? (await allStats()))
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { used, ended }) => sum + used + ended, 0);
}

/** Returns the process of this machine that listens on `port`; undefined if there is none that this user may see. */
export async function listenerPid(port) {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter(([, local, , state]) => local?.endsWith(address) && state === listening)
    .map((fields) => `socket:[${fields[9]}]`);
  for (const pid of await allPids()) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
    if (links.some((link) => inodes.includes(link))) return pid;
  }
  return undefined;
}

async function allPids() {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function allStats() {
  return (await Promise.all((await allPids()).map(readStat))).filter(Boolean);
}

async function readStat(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ');
  return { pid, parent: Number(parent), used: seconds(user, system), ended: seconds(endedUser, endedSystem) };
}

function seconds(...ticks) {
  return ticks.reduce((sum, value) => sum + Number(value), 0) / 100;
}
