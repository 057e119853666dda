import type { responses, Schedule } from '@idsync/contracts';

import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const more = `
Without options, the command shows the current schedule. --every and --cron replace the whole schedule;
the other options change the current one.

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
  fullEveryHours?: number;
  pause?: boolean;
  resume?: boolean;
  off?: boolean;
}

export function addScheduleCommand(connectors: CliCommand): void {
  connectors
    .add('schedule', 'show or change the schedule of a connector')
    .argument('<connector>', 'id or name of the connector')
    .option('--every <duration>', 'interval, such as 15m, 6h or 1d')
    .option('--cron <expression>', 'cron expression: minute, hour, day of the month, month, day of the week')
    .option('--time-zone <name>', 'time zone of --cron, such as Europe/Berlin (default: UTC)')
    .option('--jitter <duration>', 'maximum random delay of a run')
    .option('--full-every <count>', 'one of this many runs reads all records', wholeNumber)
    .option('--full-every-hours <hours>', 'maximum age of the last complete read of all records', wholeNumber)
    .option('--pause', 'pause the schedule: it creates no jobs')
    .option('--resume', 'resume a paused schedule')
    .option('--off', 'delete the schedule')
    .addHelpText('after', more)
    .does(async (session, name: string, options: ScheduleOptions) => {
      const id = await findConnector(session, name);
      const read = () => session.client.call('GET /connectors/{connectorId}', id);
      if (Object.keys(options).length === 0) return print(session, await read());
      const schedule = await scheduleFrom(options, async () => (await read()).schedule);
      print(session, await session.client.call('PATCH /connectors/{connectorId}', id, { schedule }));
    });
}

async function scheduleFrom(
  { every, cron, timeZone, jitter, fullEvery, fullEveryHours, pause, resume, off }: ScheduleOptions,
  current: () => Promise<Schedule | undefined>,
): Promise<Partial<Schedule> | null> {
  if (off) return null;
  const given = {
    ...(every !== undefined && { every }),
    ...(cron !== undefined && { cron }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(jitter !== undefined && { jitter }),
    ...(fullEvery !== undefined && { full_every: fullEvery }),
    ...(fullEveryHours !== undefined && { full_every_hours: fullEveryHours }),
    ...(pause && { paused: true }),
    ...(resume && { paused: false }),
  };
  if (every !== undefined || cron !== undefined) return given;
  const existing = await current();
  if (!existing) throw new UsageError('the connector has no schedule: pass --every or --cron');
  return { ...existing, ...given };
}

function print(session: Session, { id, name, schedule, next_run_at }: responses.Connector): void {
  session.printOne({ id, name, ...(schedule ?? { schedule: 'none' }), ...(schedule && { next_run_at }) });
}
