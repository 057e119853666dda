import type { CursorQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';

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
    .does(async (session, id: string) => {
      session.printOne(await session.installation.call('GET /system/dead-letters/{deadLetterId}', id));
    });

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
