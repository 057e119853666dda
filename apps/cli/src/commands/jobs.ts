import type { responses } from '@idsync/contracts';
import { type Command, Option } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { confirm } from '../confirm.js';
import { findConnector, shownConnectorNames } from '../find-connector.js';
import { jobStatuses } from '../fixed-values.js';
import { follow } from '../follow.js';
import { endingJob, exitCodeOf, printJob } from '../job-outcome.js';
import { exitCodeOf as exitCodeOfOperation, operationExitCodes, printOperation } from '../operation-outcome.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';
import { addPlanCommands } from './plans.js';

interface ListOptions {
  connector?: string;
  status?: string;
  limit: number;
  offset: number;
}

interface UndoOptions {
  preview?: boolean;
  reason?: string;
  yes?: boolean;
}

const listHelp = `
Examples:
  $ idsync jobs list --connector HR --status quarantined
  $ idsync jobs list --output csv > jobs.csv`;

const listHeadings = [
  'id',
  'connector',
  'mode',
  'dry run',
  'scheduled for',
  'status',
  '%',
  'read',
  'applied',
  'deleted',
  'failed',
  'created',
  'reason',
  'waits for',
];

const undoHelp = `
The next sync of the source applies its records again: correct the source first.

Example:
  $ idsync jobs undo job_… --preview
  $ idsync jobs undo job_… --reason "wrong file"
${operationExitCodes}`;

/** A sync-worker cancels a job at once, or when it runs again. */
const cancelledWithinMs = 15_000;

export function addJobCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const jobs = program.command('jobs').description("list, cancel and undo a tenant's sync jobs");

  jobs
    .command('list')
    .description('list sync jobs')
    .option('--connector <connector>', 'only jobs of this connector, by id or name')
    .addOption(new Option('--status <status>', 'only jobs in this status').choices(jobStatuses))
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', listHelp)
    .action(async (options: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const query = new URLSearchParams({ limit: String(options.limit), offset: String(options.offset) });
      if (options.connector) query.set('connector_id', await findConnector(session, options.connector));
      if (options.status) query.set('status', options.status);
      const list = await session.client.get<List<responses.OperatorJob>>(
        `${pathOf('tenants', session.tenant, 'sync-jobs')}?${query}`,
      );
      const ids = list.data.map(({ connector_id }) => connector_id);
      const names = await shownConnectorNames(session, ids);
      session.printList(list, listHeadings, (job) => [
        job.job_id,
        names.get(job.connector_id) ?? job.connector_id,
        job.mode,
        job.dry_run ? 'yes' : undefined,
        job.scheduled_for,
        job.status,
        job.progress_pct,
        job.records_read,
        job.records_applied,
        job.records_deleted,
        job.records_failed,
        job.created_at,
        reasonOf(job),
        job.waits_for && `${job.waits_for.job_id} (${job.waits_for.status})`,
      ]);
    });

  jobs
    .command('get')
    .description('show a job and its failed records')
    .argument('<job>', 'id of the job')
    .addHelpText(
      'after',
      '\nThe exit codes are those of "idsync sync --watch"; see "idsync sync --help".\n\nExample:\n  $ idsync jobs get job_…',
    )
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const job = await session.client.get<responses.JobDetails>(pathOf('tenants', session.tenant, 'sync-jobs', id));
      printJob(session, job);
      exit(exitCodeOf(job.status));
    });

  jobs
    .command('cancel')
    .description('cancel a job; changes that it has applied remain')
    .argument('<job>', 'id of the job')
    .option('--reason <text>', 'reason, stored with the job; required for a quarantined job')
    .option('--by <name>', 'who cancels the job; stored with it')
    .addHelpText('after', '\nExample:\n  $ idsync jobs cancel job_… --reason "wrong file"')
    .action(async (id: string, options: { reason?: string; by?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id);
      await session.client.post(`${path}/cancel`, options);
      const { status, records_applied } = await follow(session, path, endingJob, cancelledWithinMs);
      session.printOne({ job_id: id, status, records_applied });
    });

  addPlanCommands(jobs, io, exit);

  jobs
    .command('undo')
    .description('revert the changes of a job to records that have not changed since')
    .argument('<job>', 'id of the job, which must have ended')
    .option('--preview', 'show what undo would change, without changing it')
    .option('--reason <text>', 'reason, stored with the operation')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', undoHelp)
    .action(async (id: string, { preview, reason, yes }: UndoOptions, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'undo');
      if (!preview && !yes) {
        await confirm(
          io,
          `Undo ${id}? Records it created are deleted, records it changed are restored (see --preview).`,
        );
      }
      const operation = await session.client.post<responses.Operation>(path, { preview: preview ?? false, reason });
      printOperation(session, operation);
      exit(exitCodeOfOperation(operation.status));
    });
}

/** Why a job failed, was quarantined or read everything, or what an operator decided. */
function reasonOf({ error_message, note, decision }: responses.OperatorJob): string | undefined {
  if (error_message !== undefined) return error_message;
  return decision?.reason === undefined ? note : `${decision.action}: ${decision.reason}`;
}
