import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Connector, Schedule } from '../admin-replies.js';
import { CliError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { Session, type Surroundings } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const more = `
Without an option it shows the schedule there is. What is given replaces it as a whole.

Example:
  $ idsync connectors schedule HR --every 15m
  $ idsync connectors schedule HR --cron "0 3 * * *" --time-zone Europe/Berlin --full-every 7
  $ idsync connectors schedule HR --pause
  $ idsync connectors schedule HR --off`;

interface ScheduleOptions {
  every?: string;
  cron?: string;
  timeZone?: string;
  jitter?: string;
  fullEvery?: number;
  pause?: boolean;
  resume?: boolean;
  off?: boolean;
}

export function addScheduleCommand(connectors: Command, io: Surroundings): void {
  connectors
    .command('schedule')
    .description('say when a connector is read without being asked to')
    .argument('<connector>', 'its id or its name')
    .option('--every <duration>', 'such as 15m, 6h or 1d')
    .option('--cron <expression>', 'minute, hour, day of the month, month, day of the week')
    .option('--time-zone <name>', 'of --cron, such as Europe/Berlin; UTC unless told')
    .option('--jitter <duration>', 'begin up to this much later, by chance')
    .option('--full-every <count>', 'of so many runs one reads everything', wholeNumber)
    .option('--pause', 'keep the schedule and make no jobs')
    .option('--resume', 'make jobs again')
    .option('--off', 'forget the schedule')
    .addHelpText('after', more)
    .action(async (name: string, options: ScheduleOptions, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'connectors', await findConnector(session, name));
      if (Object.keys(options).length === 0) return print(session, await session.client.get<Connector>(path));
      const schedule = await wanted(options, async () => (await session.client.get<Connector>(path)).schedule);
      print(session, await session.client.patch<Connector>(path, { schedule }));
    });
}

async function wanted(
  { every, cron, timeZone, jitter, fullEvery, pause, resume, off }: ScheduleOptions,
  current: () => Promise<Schedule | undefined>,
): Promise<Schedule | null> {
  if (off) return null;
  const said = {
    ...(every !== undefined && { every }),
    ...(cron !== undefined && { cron }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(jitter !== undefined && { jitter }),
    ...(fullEvery !== undefined && { full_every: fullEvery }),
    ...(pause && { paused: true }),
    ...(resume && { paused: false }),
  };
  if (every !== undefined || cron !== undefined) return said;
  const before = await current();
  if (!before) throw new CliError('the connector has no schedule; give --every or --cron');
  return { ...before, ...said };
}

function print(session: Session, { id, name, schedule, next_run_at }: Connector): void {
  session.printOne({ id, name, ...(schedule ?? { schedule: 'none' }), ...(schedule && { next_run_at }) });
}
