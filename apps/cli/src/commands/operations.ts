import type { responses } from '@idsync/contracts';
import { approvalStatuses, resultLists } from '@idsync/contracts/fixed-values';
import type { PageQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { columnsOf, operationExitCodes } from '../operation-outcome.js';
import type { Session } from '../session.js';

const confirmHelp = `
A change of settings, sources or runs is held if too many people would lose access by it, or get it again. Without a
confirmation, nothing changes. It is refused if the access of others would change by then, or if a later operation of its kind was performed.

Example:
  $ idsync operations items opn_… --list access_changes
  $ idsync operations confirm opn_… --reason "the contractors have left"
${operationExitCodes}`;

export function addOperationCommands(program: CliCommand): void {
  const operations = program.add('operations', 'list, confirm, cancel and revert the operations of operators');

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
    .add('cancel <operation>', 'stop a running operation; what it has changed stays', 'opn_… --reason "wrong file"')
    .operation()
    .printsOperation((session, id: string, { reason }: { reason?: string }) =>
      session.client.call('POST /operations/{operationId}/cancel', id, { reason }),
    );

  operations
    .add('revert <operation>', 'revert a merge, a split or a resolved case', 'opn_… --reason "two people"')
    .operation()
    .printsOperation((session, id: string, { reason }: { reason?: string }) =>
      session.client.call('POST /operations/{operationId}/revert', id, { reason }),
    );
}

const approveHelp = `
You must be another operator than the one who requested it. The act is performed at once; the operation that it starts is
shown with "idsync operations show".

Example:
  $ idsync approvals show apr_…
  $ idsync approvals approve apr_… --reason "checked with HR"`;

export function addApprovalCommands(program: CliCommand): void {
  const approvals = program.add('approvals', 'decide about acts that need a second operator');

  approvals
    .add('list', 'list acts that need a second operator, newest first', '--status pending')
    .choice('--status <status>', 'only this status', approvalStatuses)
    .paged()
    .does(async (session, query: PageQuery) => {
      session.printList(await session.client.call('GET /approvals', {}, query), [
        ['id', 'approval_id'],
        'status',
        'action',
        'resource',
        'requested_by',
        'reason',
        'expires_at',
        ['decided by', ({ decision }) => decision?.by],
      ]);
    });

  approvals
    .add('show <approval>', 'show what an approval would do', 'apr_…')
    .prints((session, id: string) => session.client.call('GET /approvals/{approvalId}', id), print);

  for (const [verb, description, help] of [
    ['approve', 'approve an act that another operator requested, and perform it', approveHelp],
    ['reject', 'reject an act, or withdraw an own request', '\nExample:\n  $ idsync approvals reject apr_…'],
  ] as const) {
    approvals
      .add(`${verb} <approval>`, description)
      .option('--reason <text>', 'reason, stored with the decision')
      .addHelpText('after', help)
      .prints(
        (session, id: string, { reason }: { reason?: string }) =>
          session.client.call(`POST /approvals/{approvalId}/${verb}`, id, { reason }) as Promise<responses.Approval>,
        print,
      );
  }
}

function print(session: Session, { request, decision, ...rest }: responses.Approval): void {
  session.printOne({
    ...rest,
    ...(decision && { 'decided by': decision.by, 'decided at': decision.at, decision: decision.reason }),
  });
  session.print(`\nrequest:\n${JSON.stringify(request, null, 2)}\n`);
}
