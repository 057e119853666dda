import type { responses } from '@idsync/contracts';
import type { PageQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { operationExitCodes, printOperation } from '../operation-outcome.js';
import { shownChange } from './history.js';

type PlanOptions = PageQuery & { action?: (typeof actions)[number]; externalId?: string };

const actions = ['create', 'update', 'disable', 'delete'] as const;

/** Adds the commands that show, release and apply the plan of a job. */
export function addPlanCommands(jobs: CliCommand): void {
  jobs
    .add('plan <job>', 'show the changes and deletions that a quarantined job or a dry run plans, or has applied since')
    .choice('--action <action>', 'only changes of this kind', actions)
    .option('--external-id <text>', 'only records whose external id contains this text')
    .paged()
    .example('job_… --action delete')
    .does(async (session, id: string, { limit, offset, action, externalId }: PlanOptions) => {
      const query = { limit, offset, action, external_id: externalId };
      const plan = (await session.client.call('GET /sync-jobs/{jobId}/plan', id, query)) as responses.SyncPlan;
      if (!session.isRaw) {
        const { counts, state, known, note, reasons } = plan;
        session.printOne({ state, ...counts, known, note });
        for (const { text, examples } of reasons) session.print(`\n${describeReason(text, examples)}\n`);
        session.print('\n');
      }
      session.printList(plan, [
        'action',
        ['kind', ({ record }) => record.kind],
        ['record', ({ record }) => record.external_id],
        ['name', 'display_name'],
        ['identity', 'identity_id'],
        ['done', ({ done }) => (done ? 'yes' : 'no')],
        ['changes', ({ changes }) => changes.map(shownChange).join(', ')],
      ]);
    });

  jobs
    .add('release <job>', 'release a quarantined job: apply the changes that its safeguard stopped, for this run only')
    .requiredOption('--reason <text>', 'reason, stored with the job')
    .option('--by <name>', 'who releases the job; stored with it')
    .example('job_… --reason "the team was outsourced"')
    .does(async (session, id: string, release: { reason: string; by?: string }) => {
      session.printOne(await session.client.call('POST /sync-jobs/{jobId}/release', id, release));
    });

  jobs
    .command('apply')
    .description('apply the plan of a dry run; refused if the directory has changed since')
    .argument('<job>', 'id of the dry run')
    .option('--reason <text>', 'stored with the operation; required if the safeguard would quarantine the plan')
    .example('job_…')
    .addHelpText('after', operationExitCodes)
    .does(async (session, id: string, { reason }: { reason?: string }) => {
      printOperation(session, await session.client.call('POST /sync-jobs/{jobId}/apply', id, { reason }));
    });
}

function describeReason(text: string, examples: readonly string[]): string {
  return examples.length > 0 ? `${text}: for example ${examples.join(', ')}` : text;
}
