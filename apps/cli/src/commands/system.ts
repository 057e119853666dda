import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { type CliContext, Session } from '../session.js';

export function addSystemCommands(program: Command, io: CliContext): void {
  program
    .command('system')
    .description('versions, processes and queues of the installation')
    .command('show')
    .description('show versions, processes and queues')
    .addHelpText('after', '\nExample:\n  $ idsync system show')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const found = await session.client.get<responses.System>('system');
      if (session.isRaw) session.printOne(found);
      else print(session, found);
    });
}

function print(session: Session, { versions, broker, processes, queues, fan_out }: responses.System): void {
  const { kind, version, connected } = broker;
  session.printOne({
    ...versions,
    broker: kind === 'postgresql' ? kind : `${kind} ${version ?? ''}${connected ? '' : '(not connected)'}`,
    events_not_fanned_out: fan_out.events,
  });
  session.printTable(
    ['service', 'version', 'host', 'started', 'seen', 'broker', 'outbox', 'outbox lag'],
    processes.map((each) => [
      each.service,
      each.version,
      each.host,
      each.started_at,
      each.responding ? each.seen_at : `${each.seen_at} (silent)`,
      each.broker_connected ? 'connected' : 'away',
      each.outbox_messages,
      seconds(each.outbox_lag_seconds),
    ]),
    'Processes',
  );
  session.printTable(
    ['queue', 'messages', 'lag', 'consumers', 'dead letters'],
    queues.map((each) => [
      each.name,
      each.messages ?? 'unknown',
      each.lag_seconds === undefined ? undefined : seconds(each.lag_seconds),
      each.consumers,
      each.dead_letters,
    ]),
    'Queues',
  );
}

function seconds(value: number): string {
  return `${Math.round(value)} s`;
}
