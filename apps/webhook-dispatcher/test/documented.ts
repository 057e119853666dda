import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Directory of the example programs that receive webhooks. */
export const programs = fileURLToPath(new URL('../../../examples/webhooks/', import.meta.url));

export interface Request {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** A language with a documented verifier, and how to run it. */
export interface Language {
  name: string;
  /** Exits with 0 if the language is installed. */
  probe: readonly string[];
  /** Build command, run once with an empty output directory. */
  build?: (directory: string) => readonly string[];
  run: (directory: string) => readonly string[];
}

export const languages: readonly Language[] = [
  { name: 'Node', probe: ['node', '--version'], run: () => ['node', 'verify.mjs'] },
  { name: 'Python', probe: ['python3', '--version'], run: () => ['python3', 'verify.py'] },
  { name: 'PHP', probe: ['php', '--version'], run: () => ['php', 'verify.php'] },
  {
    name: 'Java',
    probe: ['javac', '-version'],
    build: (directory) => ['javac', '-d', directory, 'Verify.java'],
    run: (directory) => ['java', '-cp', directory, 'Verify'],
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    build: (directory) => ['go', 'build', '-o', join(directory, 'verify'), 'verify.go'],
    run: (directory) => [join(directory, 'verify')],
  },
];

export function isHere({ probe: [program = '', ...words] }: Language): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}

export function buildVerifier({ build }: Language, directory: string): void {
  const [program, ...words] = build?.(directory) ?? [];
  if (program === undefined) return;
  const { status, stderr } = spawnSync(program, words, { cwd: programs, encoding: 'utf8', timeout: 100_000 });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** Returns the verifier's reason for rejecting a request; empty if it accepts. */
export async function verdict(
  { run }: Language,
  directory: string,
  secret: string,
  { id, timestamp, signature, body }: Request,
): Promise<string> {
  const [program = '', ...words] = run(directory);
  const child = spawn(program, [...words, secret, id, timestamp, signature], { cwd: programs });
  // A verifier may exit after the headers, without reading the body.
  child.stdin.on('error', () => undefined);
  child.stdin.end(body);
  const [error] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return child.exitCode === 0 ? '' : error.trim() || `exit code ${child.exitCode}`;
}
