// Load balancers in front of the gateways, as separate processes.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const haproxyProgram = '/usr/sbin/haproxy';

/**
 * Starts a `plain` or `haproxy` balancer on `port` in front of these gateways; resolves with a function that stops it.
 */
export async function startBalancer(kind, port, gateways) {
  return kind === 'haproxy' ? startHaproxy(port, gateways) : startPlainProxy(port, gateways);
}

async function startPlainProxy(port, gateways) {
  const backends = gateways.map(({ url, readyUrl }) => ({ url, readyUrl }));
  const program = fileURLToPath(new URL('plain-proxy.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify([port, ...backends])], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return async () => {
    child.kill('SIGKILL');
  };
}

async function startHaproxy(port, gateways) {
  const folder = await mkdtemp(join(tmpdir(), 'idsync-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  await writeFile(
    file,
    localConfiguration(await readFile(join(root, 'docker/proxy/haproxy.cfg'), 'utf8'), port, gateways),
  );
  // HAProxy logs each gateway that goes up or down.
  const stdio = process.env.IDSYNC_TEST_LOGS ? 'inherit' : 'ignore';
  const child = spawn(haproxyProgram, ['-db', '-f', file], { stdio: ['ignore', stdio, stdio] });
  return async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
}

/** Returns the configuration of the image with local addresses instead of Docker's. */
function localConfiguration(text, port, gateways) {
  const servers = gateways.map(
    ({ port, internalPort }, n) => `  server gateway${n} 127.0.0.1:${port} check port ${internalPort}`,
  );
  const changes = [
    [/^resolvers docker\n(?: .*\n)+/m, ''],
    [/ resolvers docker init-addr none$/m, ''],
    [/^ {2}bind :3000$/m, `  bind 127.0.0.1:${port}`],
    [/^ {2}server-template .*$/m, servers.join('\n')],
  ];
  for (const [from, to] of changes) {
    if (!from.test(text)) throw new Error(`docker/proxy/haproxy.cfg does not match ${from}`);
    text = text.replace(from, to);
  }
  return text;
}
