// Shared by the commands that select and run tests.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';

/** Ends the program with one line, because its words are wrong. */
export function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

export function readWords(config) {
  try {
    const { values, positionals } = parseArgs(config);
    if (values.seconds !== undefined && !(Number(values.seconds) > 0))
      refuse(`--seconds must be above 0, got ${values.seconds}`);
    return { values, positionals };
  } catch (error) {
    return refuse(error.message);
  }
}

/** Returns the hash of a commit. */
export function commitOf(since) {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${since}^{commit}`];
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : refuse(`--since must be a commit, got ${since}`);
}

/** Starts a program in its own process group, which a signal that ends this process ends with it. */
function startGroup(program, words, options) {
  const child = spawn(program, words, { ...options, detached: true });
  const end = (signal) => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
    process.exit(128 + constants.signals[signal]);
  };
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, end);
  child.once('close', () => {
    for (const signal of signals) process.off(signal, end);
  });
  return child;
}

/** Runs a program, and returns its exit code and what it writes to a pipe. */
export async function run(program, words, options) {
  const child = startGroup(program, words, { stdio: 'inherit', ...options });
  let output = '';
  (child.stdout ?? child.stderr)?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [status] = await once(child, 'close');
  return { status: status ?? 1, output };
}
