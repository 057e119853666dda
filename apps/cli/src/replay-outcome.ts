import type { Replay } from '@idsync/client/operator';
import type { CliCommand } from './cli-command.js';
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
export function withReplayOptions(command: CliCommand): CliCommand {
  return command
    .option('--by <name>', 'who requests the replay; stored with it')
    .option('--watch', 'wait until the replay has ended')
    .option('--timeout <seconds>', 'with --watch: stop waiting after this time', seconds, defaultTimeoutSeconds);
}

const watchableReplay: Watchable<Replay> = {
  isSettled: ({ status }) => status === 'done' || status === 'cancelled',
  progressOf: ({ status, progress_pct: percent, made_due: due }) => ({ status, percent, amount: `${due} to send` }),
};

/** Prints a requested replay and, with `--watch`, waits for its end. */
export async function printReplay(
  session: Session,
  requested: Replay,
  { watch, timeout }: ReplayOptions,
): Promise<void> {
  if (!watch) return session.printOne(requested);
  const read = () => session.client.call('GET /replays/{replayId}', requested.replay_id);
  const replay = await follow(session, read, watchableReplay, timeout * 1_000);
  session.printOne(replay);
  session.exit(replay.status === 'done' ? 0 : 1);
}
