import { resultLists } from '@idsync/contracts/fixed-values';
import type { PageQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { columnsOf, operationExitCodes } from '../operation-outcome.js';

const confirmHelp = `
A change of settings, sources or runs is held if too many people would lose access by it, or get it again. Without a
confirmation, nothing changes. It is refused if the access of others would change by then, or if a later operation of its kind was performed.

Example:
  $ idsync operations items opn_… --list access_changes
  $ idsync operations confirm opn_… --reason "the contractors have left"
${operationExitCodes}`;

export function addOperationCommands(program: CliCommand): void {
  const operations = program.add('operations', 'list, confirm and revert the operations of operators');

  operations
    .add('list', 'list operations, newest first', '--limit 10')
    .paged()
    .does(async (session, query: PageQuery) => {
      const list = await session.client.call('GET /operations', {}, query);
      session.printList(list, [['id', 'operation_id'], 'type', 'status', 'reason', 'created_at', 'reverted_by']);
    });

  operations
    .add('show <operation>', 'show the result of an operation, or why it was refused', 'opn_…')
    .addHelpText('after', operationExitCodes)
    .printsOperation((session, id: string) => session.client.call('GET /operations/{operationId}', id));

  operations
    .add('items <operation>', 'list the people in the result of an operation, in pages')
    .choice('--list <list>', 'list of the result', resultLists, 'joined')
    .paged()
    .example('opn_… --list parted --offset 200')
    .does(async (session, id: string, query: PageQuery & { list: (typeof resultLists)[number] }) => {
      const page = await session.client.call('GET /operations/{operationId}/items', id, query);
      session.printItems(page, columnsOf(page.data));
      const next = query.offset + page.data.length;
      if (next < page.total) session.note(`${next} of ${page.total} shown: continue with --offset ${next}`);
    });

  operations
    .add('confirm <operation>', 'perform a held operation, although it changes the access of people')
    .requiredOption('--reason <text>', 'why it is right, stored with the operation')
    .addHelpText('after', confirmHelp)
    .printsOperation((session, id: string, { reason }: { reason: string }) =>
      session.client.call('POST /operations/{operationId}/confirm', id, { reason }),
    );

  operations
    .add('revert <operation>', 'revert a merge, a split or a resolved case', 'opn_… --reason "two people"')
    .operation()
    .printsOperation((session, id: string, { reason }: { reason?: string }) =>
      session.client.call('POST /operations/{operationId}/revert', id, { reason }),
    );
}
