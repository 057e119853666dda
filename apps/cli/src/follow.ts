import { InvalidArgumentError } from 'commander';
import { type Progress, progressLine } from './progress-line.js';
import type { Session } from './session.js';
import { watch } from './watch.js';

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
