import type { responses } from '@idsync/contracts';
import { approvalStatuses } from '@idsync/contracts/fixed-values';
import type { PageQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import type { Session } from '../session.js';

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

  approvals.add('show <approval>', 'show what an approval would do', 'apr_…').does(async (session, id: string) => {
    print(session, await session.client.call('GET /approvals/{approvalId}', id));
  });

  for (const [verb, description, help] of [
    ['approve', 'approve an act that another operator requested, and perform it', approveHelp],
    ['reject', 'reject an act, or withdraw an own request', '\nExample:\n  $ idsync approvals reject apr_…'],
  ] as const) {
    approvals
      .add(`${verb} <approval>`, description)
      .option('--reason <text>', 'reason, stored with the decision')
      .addHelpText('after', help)
      .does(async (session, id: string, { reason }: { reason?: string }) => {
        print(session, await session.client.call(`POST /approvals/{approvalId}/${verb}`, id, { reason }));
      });
  }
}

function print(session: Session, approval: responses.Approval): void {
  session.show(approval, ({ request, decision, ...rest }) => {
    session.printOne({
      ...rest,
      ...(decision && { 'decided by': decision.by, 'decided at': decision.at, decision: decision.reason }),
    });
    session.print(`\nrequest:\n${JSON.stringify(request, null, 2)}\n`);
  });
}
