import type { ResultList, responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { columnsOf, exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

/** Listed here because loading all contracts would double the time that every command takes to start. */
const resultLists = Object.keys({
  joined: true,
  parted: true,
  moved: true,
  cases: true,
  access_changes: true,
} satisfies Record<ResultList, true>);

const confirmHelp = `
A change of settings, sources or runs is held if too many people would lose access by it, or get it again. Without a
confirmation, nothing changes. It is refused if the access of others would change by then, or if a later operation of its kind was performed.

Example:
  $ idsync operations items opn_… --list access_changes
  $ idsync operations confirm opn_… --reason "the contractors have left"
${operationExitCodes}`;

interface ItemOptions {
  list: string;
  limit: number;
  offset: number;
}

export function addOperationCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const operations = program.command('operations').description('list, confirm and revert the operations of operators');

  operations
    .command('list')
    .description('list operations, newest first')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync operations list --limit 10')
    .action(async ({ limit, offset }: { limit: number; offset: number }, command: Command) => {
      const session = await Session.of(command, io);
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      const path = `${pathOf('tenants', session.tenant, 'operations')}?${query}`;
      const list = await session.client.get<List<responses.Operation>>(path);
      session.printList(list, ['id', 'type', 'status', 'reason', 'created', 'reverted by'], (each) => [
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
    .description('show the result of an operation, or why it was refused')
    .argument('<operation>', 'id of the operation')
    .addHelpText('after', `\nExample:\n  $ idsync operations show opn_…\n${operationExitCodes}`)
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      finish(
        session,
        await session.client.get<responses.Operation>(pathOf('tenants', session.tenant, 'operations', id)),
      );
    });

  operations
    .command('items')
    .description('list the people in the result of an operation, in pages')
    .argument('<operation>', 'id of the operation')
    .addOption(new Option('--list <list>', 'list of the result').choices(resultLists).default('joined'))
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync operations items opn_… --list parted --offset 200')
    .action(async (id: string, { list, limit, offset }: ItemOptions, command: Command) => {
      const session = await Session.of(command, io);
      const query = new URLSearchParams({ list, limit: String(limit), offset: String(offset) });
      const path = `${pathOf('tenants', session.tenant, 'operations', id, 'items')}?${query}`;
      const page = await session.client.get<List<Record<string, unknown>>>(path);
      const { headings, row } = columnsOf(page.data);
      session.printItems(page, headings, row);
      const next = offset + page.data.length;
      if (next < page.total) session.note(`${next} of ${page.total} shown: continue with --offset ${next}`);
    });

  operations
    .command('confirm')
    .description('perform a held operation, although it changes the access of people')
    .argument('<operation>', 'id of the operation')
    .requiredOption('--reason <text>', 'why it is right, stored with the operation')
    .addHelpText('after', confirmHelp)
    .action(async (id: string, { reason }: { reason: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'operations', id, 'confirm');
      finish(session, await session.client.post<responses.Operation>(path, { reason }));
    });

  operations
    .command('revert')
    .description('revert a merge, a split or a resolved case')
    .argument('<operation>', 'id of the operation')
    .option('--reason <text>', 'reason, stored with the operation')
    .addHelpText('after', `\nExample:\n  $ idsync operations revert opn_… --reason "two people"\n${operationExitCodes}`)
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'operations', id, 'revert');
      finish(session, await session.client.post<responses.Operation>(path, { reason }));
    });

  function finish(session: Session, operation: responses.Operation): void {
    printOperation(session, operation);
    exit(exitCodeOf(operation.status));
  }
}
