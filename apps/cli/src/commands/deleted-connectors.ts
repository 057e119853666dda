import type { responses, Schedule } from '@idsync/contracts';
import type { List } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { fieldsOf, wholeNumber } from '../input.js';
import { printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { idOfName } from '../what-is-there.js';

const deletedHelp = 'id or name of the deleted connector';
/** Values of `--records` with those of the API. */
const modes = { keep: 'keep', retire: 'retire', 'hand-over': 'hand_over' } as const;
const choices = '--records keep, --records retire, or --records hand-over --to <connector>';

interface DeleteOptions {
  records?: keyof typeof modes;
  to?: string;
}

/** Adds the commands that delete a connector and decide about its records. */
export function addDeletionCommands(connectors: CliCommand): void {
  connectors
    .add('delete <connector>', 'delete a connector, and keep, retire or hand over its records')
    .choice('--records <mode>', 'what becomes of its records; required if it has any', Object.keys(modes))
    .option('--to <connector>', 'with hand-over: id or name of the connector that takes the records')
    .addHelpText(
      'after',
      `
  keep       the records stay as they are; retire them or hand them over later
  retire     a job deletes the records, under the deletion safeguard
  hand-over  the records become those of another connector, by their ids or match keys

Example:
  $ idsync connectors delete HR --records hand-over --to "HR new"`,
    )
    .does(async (session, connector: string, { records, to }: DeleteOptions) => {
      const id = await findConnector(session, connector);
      const { live_records: live } = await session.client.call('GET /connectors/{connectorId}/deletion', id);
      if (records === undefined && live > 0) throw new UsageError(`${connector} has ${counted(live)}: pass ${choices}`);
      const mode = modes[records ?? 'keep'];
      if ((mode === 'hand_over') !== (to !== undefined))
        throw new UsageError('hand-over needs --to, and only hand-over');
      const query = { records: mode, ...(to !== undefined && { to: await findConnector(session, to) }) };
      await session.client.call('DELETE /connectors/{connectorId}', id, query);
      session.note(`deleted ${connector}, which had ${counted(live)}`);
      if (mode === 'retire') session.note(`a job deletes them: idsync jobs list --connector ${id}`);
      if (mode === 'hand_over') session.note('an operation hands them over: idsync operations list');
    });

  connectors.add('deleted', 'list deleted connectors and how many records they left', '').does(async (session) => {
    session.printList(await listDeleted(session), ['id', 'name', 'type', 'records', 'live_records', 'deleted_at']);
  });

  connectors
    .add('retire', 'start a job that deletes the records of a deleted connector, under its deletion safeguard', 'HR')
    .argument('<connector>', deletedHelp)
    .does(async (session, connector: string) => {
      const id = await findDeleted(session, connector);
      session.printOne(await session.client.call('POST /deleted-connectors/{connectorId}/retire', id));
    });

  connectors
    .add('hand-over', 'give the records of a deleted connector to another connector', 'HR --to "HR new"')
    .argument('<connector>', deletedHelp)
    .requiredOption('--to <connector>', 'id or name of the connector that takes the records')
    .operation()
    .does(async (session, connector: string, { to, reason }: { to: string; reason?: string }) => {
      const id = await findDeleted(session, connector);
      const body = { to: await findConnector(session, to), reason };
      printOperation(session, await session.client.call('POST /deleted-connectors/{connectorId}/hand-over', id, body));
    });
}

function counted(records: number): string {
  return `${records} live record${records === 1 ? '' : 's'}`;
}

function listDeleted(session: Session): Promise<List<responses.DeletedConnector>> {
  return session.client.all('GET /deleted-connectors', {});
}

/** Names of deleted connectors are not unique. */
async function findDeleted(session: Session, idOrName: string): Promise<string> {
  return idOrName.startsWith('con_') ? idOrName : idOfName('deleted connector', idOrName, await listDeleted(session));
}

const more = `
Without options, the command shows the current schedule. --every and --cron replace the whole schedule;
the other options change the current one.

Example:
  $ idsync connectors schedule HR --every 15m
  $ idsync connectors schedule HR --cron "0 3 * * *" --time-zone Europe/Berlin --full-every 7
  $ idsync connectors schedule HR --pause
  $ idsync connectors schedule HR --off`;

/** The others are fields of the schedule. */
type ScheduleOptions = Partial<Record<'pause' | 'resume' | 'off', boolean>>;

export function addScheduleCommand(connectors: CliCommand): void {
  connectors
    .add('schedule <connector>', 'show or change the schedule of a connector')
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
  { pause, resume, off, ...options }: ScheduleOptions,
  current: () => Promise<Schedule | undefined>,
): Promise<Partial<Schedule> | null> {
  if (off) return null;
  const given: Partial<Schedule> = {
    ...fieldsOf(options),
    ...(pause && { paused: true }),
    ...(resume && { paused: false }),
  };
  if (given.every !== undefined || given.cron !== undefined) return given;
  const existing = await current();
  if (!existing) throw new UsageError('the connector has no schedule: pass --every or --cron');
  return { ...existing, ...given };
}

function print(session: Session, { id, name, schedule, next_run_at }: responses.Connector): void {
  session.printOne({ id, name, ...(schedule ?? { schedule: 'none' }), ...(schedule && { next_run_at }) });
}
