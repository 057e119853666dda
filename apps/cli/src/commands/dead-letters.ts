import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const listHelp = `
A message that fails as often as its queue allows is dead-lettered. Requeue it when its cause is fixed.

Example:
  $ idsync dead-letters list --queue directory.batches`;

interface ListOptions {
  queue?: string;
  limit: number;
  cursor?: string;
}

const path = (id: string) => `system/dead-letters/${pathOf(id)}`;

export function addDeadLetterCommands(program: Command, io: CliContext): void {
  const letters = program.command('dead-letters').description('messages that failed as often as their queue allows');

  letters
    .command('list')
    .description('list dead letters, the newest first')
    .option('--queue <name>', 'only of this queue')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the results of an earlier list')
    .addHelpText('after', listHelp)
    .action(async ({ limit, ...filters }: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getUpTo<responses.DeadLetter>('system/dead-letters', limit, { ...filters });
      session.printPage(list, ['id', 'queue', 'type', 'tenant', 'attempts', 'dead', 'reason'], (each) => [
        each.id,
        each.queue,
        each.type,
        each.tenant_id,
        each.attempts,
        each.dead_at,
        each.reason,
      ]);
    });

  letters
    .command('show')
    .description('show a dead letter with its message')
    .argument('<dead-letter>', 'id of the dead letter')
    .addHelpText('after', '\nExample:\n  $ idsync dead-letters show dlt_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.get<responses.DeadLetterDetails>(path(id)));
    });

  letters
    .command('requeue')
    .description('send a dead letter again')
    .argument('<dead-letter>', 'id of the dead letter')
    .addHelpText('after', '\nExample:\n  $ idsync dead-letters requeue dlt_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.post<undefined>(`${path(id)}/requeue`, undefined);
      session.note(`sent ${id} again`);
    });

  letters
    .command('discard')
    .description('remove a dead letter without handling it; this cannot be undone')
    .argument('<dead-letter>', 'id of the dead letter')
    .requiredOption('--reason <text>', 'reason, kept in the audit log')
    .addHelpText('after', '\nExample:\n  $ idsync dead-letters discard dlt_… --reason "the job was repeated"')
    .action(async (id: string, { reason }: { reason: string }, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.post<undefined>(`${path(id)}/discard`, { reason });
      session.note(`discarded ${id}`);
    });
}
