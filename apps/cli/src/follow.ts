import { InvalidArgumentError } from 'commander';
import { type Progress, progressLine } from './progress-line.js';
import type { Session } from './session.js';
import { watch } from './watch.js';

const outageMs = 60_000;

/** How long something is followed unless told. */
export const aDay = 86_400;

export interface Followed<Thing> {
  isSettled(thing: Thing): boolean;
  progressOf(thing: Thing): Progress;
}

/** Reads what a path leads to until it is settled, and shows how far it is. */
export async function follow<Thing>(
  session: Session,
  path: string,
  { isSettled, progressOf }: Followed<Thing>,
  timeoutMs: number,
): Promise<Thing> {
  const line = session.json ? undefined : progressLine(session.io.err);
  try {
    return await watch(
      () => session.client.get<Thing>(path),
      (thing) => line?.show(progressOf(thing)),
      isSettled,
      { timeoutMs, outageMs },
    );
  } finally {
    line?.stop();
  }
}

/** Parses an option that says how long. */
export function seconds(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}
