import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from './admin-client.js';
import { defaultTimeoutSeconds, follow, seconds, type Watchable } from './follow.js';
import type { Session } from './session.js';

export interface ReplayOptions {
  by?: string;
  watch?: boolean;
  timeout: number;
}

export const replayExitCodes = `
Exit codes with --watch:
  0  done: all deliveries of the replay are due; they are sent as fast as the endpoint accepts them
  1  cancelled, or the outcome is unknown`;

/** Adds the options of every command that requests a replay. */
export function withReplayOptions(command: Command): Command {
  return command
    .option('--by <name>', 'who requests the replay; stored with it')
    .option('--watch', 'wait until the replay has ended')
    .option('--timeout <seconds>', 'with --watch: stop waiting after this time', seconds, defaultTimeoutSeconds);
}

const watchableReplay: Watchable<responses.Replay> = {
  isSettled: ({ status }) => status === 'done' || status === 'cancelled',
  progressOf: ({ status, progress_pct: percent, made_due: due }) => ({ status, percent, amount: `${due} to send` }),
};

/** Requests a replay and, with `--watch`, waits for its end. Returns the exit code. */
export async function requestReplay(
  session: Session,
  path: string,
  body: object,
  { by, watch, timeout }: ReplayOptions,
): Promise<number> {
  const requested = await session.client.post<responses.Replay>(path, { ...body, by });
  if (!watch) {
    session.printOne(requested);
    return 0;
  }
  const replayPath = pathOf('tenants', session.tenant, 'replays', requested.replay_id);
  const replay = await follow(session, replayPath, watchableReplay, timeout * 1_000);
  session.printOne(replay);
  return replay.status === 'done' ? 0 : 1;
}
