import type { responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { approvalStatuses } from '../fixed-values.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const approveHelp = `
You must be another operator than the one who requested it. The act is performed at once; the operation that it starts is
shown with "idsync operations show".

Example:
  $ idsync approvals show apr_…
  $ idsync approvals approve apr_… --reason "checked with HR"`;

interface ListOptions {
  status?: string;
  limit: number;
  offset: number;
}

export function addApprovalCommands(program: Command, io: CliContext): void {
  const approvals = program.command('approvals').description('decide about acts that need a second operator');
  const pathTo = (session: Session, ...rest: string[]) => pathOf('tenants', session.tenant, 'approvals', ...rest);

  approvals
    .command('list')
    .description('list acts that need a second operator, newest first')
    .addOption(new Option('--status <status>', 'only this status').choices(approvalStatuses))
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync approvals list --status pending')
    .action(async ({ status, limit, offset }: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset), ...(status && { status }) });
      const list = await session.client.get<List<responses.Approval>>(`${pathTo(session)}?${query}`);
      session.printList(
        list,
        ['id', 'status', 'action', 'resource', 'requested by', 'reason', 'expires', 'decided by'],
        (each) => [
          each.approval_id,
          each.status,
          each.action,
          each.resource,
          each.requested_by,
          each.reason,
          each.expires_at,
          each.decision?.by,
        ],
      );
    });

  approvals
    .command('show')
    .description('show what an approval would do')
    .argument('<approval>', 'id of the approval')
    .addHelpText('after', '\nExample:\n  $ idsync approvals show apr_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      print(session, await session.client.get<responses.Approval>(pathTo(session, id)));
    });

  for (const [verb, description, help] of [
    ['approve', 'approve an act that another operator requested, and perform it', approveHelp],
    ['reject', 'reject an act, or withdraw an own request', '\nExample:\n  $ idsync approvals reject apr_…'],
  ] as const) {
    approvals
      .command(verb)
      .description(description)
      .argument('<approval>', 'id of the approval')
      .option('--reason <text>', 'reason, stored with the decision')
      .addHelpText('after', help)
      .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
        const session = await Session.of(command, io);
        print(session, await session.client.post<responses.Approval>(pathTo(session, id, verb), { reason }));
      });
  }
}

function print(session: Session, approval: responses.Approval): void {
  if (session.isRaw) {
    session.printOne(approval);
    return;
  }
  const { request, decision, ...rest } = approval;
  session.printOne({
    ...rest,
    ...(decision && { 'decided by': decision.by, 'decided at': decision.at, decision: decision.reason }),
  });
  session.print(`\nrequest:\n${JSON.stringify(request, null, 2)}\n`);
}
