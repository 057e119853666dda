import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Returns whether all of these programs are installed, also in the sbin folders. */
export function haveProgram(...names: string[]): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return names.every((name) => folders.some((folder) => existsSync(join(folder, name))));
}

export function temporaryFolder(name: string): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), `idsync-${name}-`));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Starts a program that is killed when the test process exits. `stop` waits until it has exited. */
export function startProgram(
  command: string,
  args: string[],
): { child: ChildProcess; output(): string; stop(): Promise<void> } {
  const path = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`;
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], {
    env: { ...process.env, PATH: path, TDB_NO_FSYNC: '1' },
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4_000);
    });
  }
  return {
    child,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(hard);
    },
  };
}

/** Waits until the port accepts connections, or fails when the program has exited. */
export async function listening(
  host: string,
  port: number,
  program: { child: ChildProcess; output(): string },
): Promise<void> {
  for (let left = 600; left > 0; left -= 1) {
    if (program.child.exitCode !== null) break;
    const open = await new Promise<boolean>((done) => {
      const socket = connect(port, host);
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
      socket.once('close', () => socket.destroy());
    });
    if (open) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`nothing listens at ${host}:${port}: ${program.output()}`);
}

/** Creates a certificate authority and a certificate for these names. */
export function certificates(dir: string, names: string[]): { ca: string; certificate: string; key: string } {
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
    '-subj',
    '/CN=Test CA',
    '-days',
    '2',
  );
  openssl(
    ...['req', '-x509', ...newKey, '-keyout', file('key.pem'), '-out', file('cert.pem'), '-subj', `/CN=${names[0]}`],
    ...[
      '-addext',
      `subjectAltName=${names.map((name) => (/^\d/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',')}`,
    ],
    ...['-addext', 'basicConstraints=critical,CA:FALSE', '-days', '2', '-CA', file('ca.pem'), '-CAkey', file('ca.key')],
  );
  return { ca: file('ca.pem'), certificate: file('cert.pem'), key: file('key.pem') };
}
