import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { List, Operation } from '../admin-replies.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { Session, type Surroundings } from '../session.js';
import { wholeNumber } from '../whole-number.js';

export function addOperationCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const operations = program.command('operations').description('see what operators have done, and take it back');

  operations
    .command('list')
    .description('list the operations, the newest first')
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--offset <count>', 'leave out this many first', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync operations list --limit 10')
    .action(async ({ limit, offset }: { limit: number; offset: number }, command: Command) => {
      const session = Session.of(command, io);
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      const path = `${pathOf('tenants', session.tenant, 'operations')}?${query}`;
      const list = await session.client.get<List<Operation>>(path);
      session.printList(list, ['id', 'type', 'status', 'reason', 'created', 'taken back by'], (each) => [
        each.operation_id,
        each.type,
        each.status,
        each.reason,
        each.created_at,
        each.reverted_by,
      ]);
    });

  operations
    .command('show')
    .description('show what an operation did, or why it was refused')
    .argument('<operation>', 'its id')
    .addHelpText('after', `\nExample:\n  $ idsync operations show opn_…\n${operationExitCodes}`)
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      end(session, await session.client.get<Operation>(pathOf('tenants', session.tenant, 'operations', id)));
    });

  operations
    .command('revert')
    .description('take back a merge, a split or a resolved case')
    .argument('<operation>', 'its id')
    .option('--reason <text>', 'kept with the operation')
    .addHelpText('after', `\nExample:\n  $ idsync operations revert opn_… --reason "two people"\n${operationExitCodes}`)
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'operations', id, 'revert');
      end(session, await session.client.post<Operation>(path, { reason }));
    });

  function end(session: Session, operation: Operation): void {
    printOperation(session, operation);
    exit(exitCodeOf(operation.status));
  }
}
