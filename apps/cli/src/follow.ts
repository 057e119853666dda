import cliProgress from 'cli-progress';
import { InvalidArgumentError } from 'commander';
import { CliError, UnreachableError } from './cli-error.js';
import type { Session } from './session.js';

const outageMs = 60_000;

export const defaultTimeoutSeconds = 86_400;

export interface Watchable<Resource> {
  isSettled(resource: Resource): boolean;
  progressOf(resource: Resource): Progress;
}

/** Polls a resource until it is settled, and shows its progress. */
export async function follow<Resource>(
  session: Session,
  read: () => Promise<Resource>,
  { isSettled, progressOf }: Watchable<Resource>,
  timeoutMs: number,
): Promise<Resource> {
  const line = session.isRaw ? undefined : progressLine(session.io.err);
  try {
    return await watch(read, (resource) => line?.show(progressOf(resource)), isSettled, { timeoutMs, outageMs });
  } finally {
    line?.stop();
  }
}

/** Parses an option that is a duration in seconds. */
export function seconds(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of seconds, 1 to 9999999.');
  return Number(text);
}

const firstPauseMs = 100;
const longestPauseMs = 1_000;

export interface WatchLimits {
  timeoutMs: number;
  /** How long the service may be unreachable, so that a restart does not end the watch. */
  outageMs: number;
}

/** Polls with growing intervals until the resource is settled, and shows each state. */
export async function watch<Resource>(
  read: () => Promise<Resource>,
  show: (resource: Resource) => void,
  isSettled: (resource: Resource) => boolean,
  { timeoutMs, outageMs }: WatchLimits,
): Promise<Resource> {
  const end = Date.now() + timeoutMs;
  let lastResponse = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      const resource = await read();
      lastResponse = Date.now();
      show(resource);
      if (isSettled(resource)) return resource;
    } catch (error) {
      if (!(error instanceof UnreachableError) || Date.now() - lastResponse > outageMs) throw error;
    }
    if (Date.now() > end) {
      throw new CliError(`stopped waiting after ${timeoutMs / 1_000} s; what was requested continues`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

interface Progress {
  status: string;
  percent: number;
  /** The processed amount with its unit: `1200 records`. */
  amount: string;
}

export interface ProgressLine {
  show(progress: Progress): void;
  stop(): void;
}

/** Shows a bar on a terminal; elsewhere, such as in a log, writes a line for each change. */
export function progressLine(stream: NodeJS.WritableStream): ProgressLine {
  return (stream as Partial<NodeJS.WriteStream>).isTTY ? bar(stream) : lines(stream);
}

function bar(stream: NodeJS.WritableStream): ProgressLine {
  const single = new cliProgress.SingleBar(
    { format: '{bar} {percentage} % | {status} | {amount}', stream, hideCursor: false },
    cliProgress.Presets.shades_classic,
  );
  single.start(100, 0, { status: 'queued', amount: '' });
  return {
    show: ({ percent, status, amount }) => single.update(percent, { status, amount }),
    stop: () => single.stop(),
  };
}

function lines(stream: NodeJS.WritableStream): ProgressLine {
  let last = '';
  return {
    show({ percent, status }) {
      const line = `${status} ${percent} %\n`;
      if (line !== last) stream.write(line);
      last = line;
    },
    stop: () => undefined,
  };
}
