import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';

export function addSuppressionCommands(program: Command, io: CliContext): void {
  const suppressions = program.command('suppressions').description('erased people who are left out of runs');

  suppressions
    .command('list')
    .description('list the suppressions, the newest first')
    .addHelpText('after', '\nExample:\n  $ idsync suppressions list')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.Suppression>(
        pathOf('tenants', session.tenant, 'suppressions'),
      );
      session.printList(list, ['id', 'identity', 'operation', 'created'], (each) => [
        each.id,
        each.identity_id,
        each.operation_id,
        each.created_at,
      ]);
    });

  suppressions
    .command('lift')
    .description('lift a suppression; the next full run creates the person again if a source lists them')
    .argument('<suppression>', 'id of the suppression')
    .addHelpText('after', '\nExample:\n  $ idsync suppressions lift sup_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      await session.client.delete(pathOf('tenants', session.tenant, 'suppressions', id));
      session.note(`lifted ${id}`);
    });
}
