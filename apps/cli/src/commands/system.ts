import type { responses } from '@idsync/contracts';
import type { CliCommand } from '../cli-command.js';
import type { Session } from '../session.js';

export function addSystemCommands(program: CliCommand): void {
  program
    .add('system', 'versions, processes and queues of the installation')
    .add('show', 'show versions, processes and queues', '')
    .does(async (session) => {
      session.show(await session.installation.call('GET /system', {}), (found) => print(session, found));
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
    processes,
    [
      'service',
      'version',
      'host',
      'started_at',
      ['seen', ({ responding, seen_at }) => (responding ? seen_at : `${seen_at} (silent)`)],
      ['broker', ({ broker_connected }) => (broker_connected ? 'connected' : 'away')],
      ['outbox', 'outbox_messages'],
      ['outbox lag', ({ outbox_lag_seconds }) => seconds(outbox_lag_seconds)],
    ],
    'Processes',
  );
  session.printTable(
    queues,
    [
      ['queue', 'name'],
      ['messages', ({ messages }) => messages ?? 'unknown'],
      ['lag', ({ lag_seconds }) => (lag_seconds === undefined ? undefined : seconds(lag_seconds))],
      'consumers',
      'dead_letters',
    ],
    'Queues',
  );
}

function seconds(value: number): string {
  return `${Math.round(value)} s`;
}
