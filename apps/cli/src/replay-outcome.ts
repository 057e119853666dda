import type { Command } from 'commander';
import { pathOf } from './admin-client.js';
import type { Replay } from './admin-replies.js';
import { aDay, type Followed, follow, seconds } from './follow.js';
import type { Session } from './session.js';

export interface ReplayOptions {
  by?: string;
  watch?: boolean;
  timeout: number;
}

export const replayExitCodes = `
Exit codes with --watch:
  0  done: what is sent again is due, and goes out as the receiver takes it
  1  cancelled, or nobody could tell`;

/** What every command that has something sent again takes. */
export function withReplayOptions(command: Command): Command {
  return command
    .option('--by <name>', 'who decides, kept with the replay')
    .option('--watch', 'follow the replay to its end')
    .option('--timeout <seconds>', 'with --watch: give up watching after this long', seconds, aDay);
}

const followed: Followed<Replay> = {
  isSettled: ({ status }) => status === 'done' || status === 'cancelled',
  progressOf: ({ status, progress_pct: percent, made_due: due }) => ({ status, percent, amount: `${due} to send` }),
};

/** Asks for a replay, and follows it if that is wanted. Gives the exit code. */
export async function request(
  session: Session,
  path: string,
  body: object,
  { by, watch, timeout }: ReplayOptions,
): Promise<number> {
  const requested = await session.client.post<Replay>(path, { ...body, by });
  if (!watch) {
    session.printOne(requested);
    return 0;
  }
  const own = pathOf('tenants', session.tenant, 'replays', requested.replay_id);
  const replay = await follow(session, own, followed, timeout * 1_000);
  session.printOne(replay);
  return replay.status === 'done' ? 0 : 1;
}
