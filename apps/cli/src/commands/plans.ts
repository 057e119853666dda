import type { responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

interface PlanOptions {
  limit: number;
  offset: number;
  action?: string;
  externalId?: string;
}

const actions = ['create', 'update', 'disable', 'delete'];

interface ReleaseOptions {
  reason: string;
  by?: string;
}

/** Adds the commands that show, release and apply the plan of a job. */
export function addPlanCommands(jobs: Command, io: CliContext, exit: (code: number) => void): void {
  jobs
    .command('plan')
    .description('show the changes and deletions that a quarantined job or a dry run plans, or has applied since')
    .argument('<job>', 'id of the job')
    .addOption(new Option('--action <action>', 'only changes of this kind').choices(actions))
    .option('--external-id <text>', 'only records whose external id contains this text')
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync jobs plan job_… --action delete')
    .action(async (id: string, { action, externalId, ...page }: PlanOptions, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'plan');
      const query = new URLSearchParams({
        limit: String(page.limit),
        offset: String(page.offset),
        ...(action !== undefined && { action }),
        ...(externalId !== undefined && { external_id: externalId }),
      });
      const plan = await session.client.get<responses.SyncPlan>(`${path}?${query}`);
      if (!session.isRaw) {
        const { counts, state, known, note, reasons } = plan;
        session.printOne({ state, ...counts, known, note });
        for (const { text, examples } of reasons) session.print(`\n${describeReason(text, examples)}\n`);
        session.print('\n');
      }
      session.printList(plan, ['action', 'kind', 'record', 'name', 'identity', 'done', 'changes'], (entry) => [
        entry.action,
        entry.record.kind,
        entry.record.external_id,
        entry.display_name,
        entry.identity_id,
        entry.done ? 'yes' : 'no',
        entry.changes.map(describe).join(', '),
      ]);
    });

  jobs
    .command('release')
    .description('release a quarantined job: apply the changes that its safeguard stopped, for this run only')
    .argument('<job>', 'id of the job')
    .requiredOption('--reason <text>', 'reason, stored with the job')
    .option('--by <name>', 'who releases the job; stored with it')
    .addHelpText('after', '\nExample:\n  $ idsync jobs release job_… --reason "the team was outsourced"')
    .action(async (id: string, release: ReleaseOptions, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'release');
      session.printOne(await session.client.post<responses.SyncJobReference>(path, release));
    });

  jobs
    .command('apply')
    .description('apply the plan of a dry run; refused if the directory has changed since')
    .argument('<job>', 'id of the dry run')
    .option('--reason <text>', 'stored with the operation; required if the safeguard would quarantine the plan')
    .addHelpText('after', `\nExample:\n  $ idsync jobs apply job_…\n${operationExitCodes}`)
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'apply');
      const operation = await session.client.post<responses.Operation>(path, { reason });
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });
}

function describeReason(text: string, examples: readonly string[]): string {
  return examples.length > 0 ? `${text}: for example ${examples.join(', ')}` : text;
}

function describe({ field, from, to }: responses.SyncPlan['data'][number]['changes'][number]): string {
  return `${field}: ${format(from)} → ${format(to)}`;
}

function format(value: unknown): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '-');
}
