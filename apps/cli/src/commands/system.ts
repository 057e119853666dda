import type { responses } from '@idsync/contracts';
import type { CursorQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import type { Session } from '../session.js';

export function addSystemCommands(program: CliCommand): void {
  program
    .add('system', 'versions, processes and queues of the installation')
    .add('show', 'show versions, processes and queues', '')
    .prints((session) => session.installation.call('GET /system', {}), print);
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

const listHelp = `
A message that fails as often as its queue allows is dead-lettered. Requeue it when its cause is fixed.

Example:
  $ idsync dead-letters list --queue directory.batches`;

export function addDeadLetterCommands(program: CliCommand): void {
  const letters = program.add('dead-letters', 'messages that failed as often as their queue allows');

  letters
    .add('list', 'list dead letters, the newest first')
    .option('--queue <name>', 'only of this queue')
    .cursored()
    .addHelpText('after', listHelp)
    .does(async (session, query: CursorQuery) => {
      const list = await session.installation.upTo('GET /system/dead-letters', query);
      session.printPage(list, ['id', 'queue', 'type', ['tenant', 'tenant_id'], 'attempts', 'dead_at', 'reason']);
    });

  letters
    .add('show <dead-letter>', 'show a dead letter with its message', 'dlt_…')
    .prints((session, id: string) => session.installation.call('GET /system/dead-letters/{deadLetterId}', id));

  letters.add('requeue <dead-letter>', 'send a dead letter again', 'dlt_…').does(async (session, id: string) => {
    await session.installation.call('POST /system/dead-letters/{deadLetterId}/requeue', id);
    session.note(`sent ${id} again`);
  });

  letters
    .add('discard <dead-letter>', 'remove a dead letter without handling it; this cannot be undone')
    .requiredOption('--reason <text>', 'reason, kept in the audit log')
    .example('dlt_… --reason "the job was repeated"')
    .does(async (session, id: string, { reason }: { reason: string }) => {
      await session.installation.call('POST /system/dead-letters/{deadLetterId}/discard', id, { reason });
      session.note(`discarded ${id}`);
    });
}
