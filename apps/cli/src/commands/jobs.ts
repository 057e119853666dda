import type { responses } from '@idsync/contracts';
import { type JobStatus, jobStatuses, type PlanAction, planActions } from '@idsync/contracts/fixed-values';
import type { PageQuery } from '../admin-client.js';
import { shownChange } from '../cells.js';
import type { CliCommand } from '../cli-command.js';
import { findConnector, shownConnectorNames } from '../find-connector.js';
import { defaultTimeoutSeconds, follow, seconds } from '../follow.js';
import { confirm } from '../input.js';
import { endingJob, printJob, watchableJob } from '../job-outcome.js';
import { operationExitCodes, printOperation } from '../operation-outcome.js';

interface UndoOptions {
  preview?: boolean;
  reason?: string;
  yes?: boolean;
}

const listHelp = `
Examples:
  $ idsync jobs list --connector HR --status quarantined
  $ idsync jobs list --output csv > jobs.csv`;

const undoHelp = `
The next sync of the source applies its records again: correct the source first.

Example:
  $ idsync jobs undo job_… --preview
  $ idsync jobs undo job_… --reason "wrong file"
${operationExitCodes}`;

/** A sync-worker cancels a job at once, or when it runs again. */
const cancelledWithinMs = 15_000;

export function addJobCommands(program: CliCommand): void {
  const jobs = program.add('jobs', "list, cancel and undo a tenant's sync jobs");

  jobs
    .add('list', 'list sync jobs')
    .option('--connector <connector>', 'only jobs of this connector, by id or name')
    .choice('--status <status>', 'only jobs in this status', jobStatuses)
    .paged()
    .addHelpText('after', listHelp)
    .does(async (session, options: PageQuery & { connector?: string; status?: JobStatus }) => {
      const { limit, offset, connector, status } = options;
      const query = { limit, offset, connector_id: connector && (await findConnector(session, connector)), status };
      const list = await session.client.call('GET /sync-jobs', {}, query);
      const ids = list.data.map(({ connector_id }) => connector_id);
      const names = await shownConnectorNames(session, ids);
      session.printList(list, [
        ['id', 'job_id'],
        ['connector', ({ connector_id }) => names.get(connector_id) ?? connector_id],
        'mode',
        ['dry run', ({ dry_run }) => (dry_run ? 'yes' : undefined)],
        'scheduled_for',
        'status',
        ['%', 'progress_pct'],
        ['read', 'records_read'],
        ['applied', 'records_applied'],
        ['deleted', 'records_deleted'],
        ['failed', 'records_failed'],
        'created_at',
        ['reason', reasonOf],
        ['waits for', ({ waits_for }) => waits_for && `${waits_for.job_id} (${waits_for.status})`],
      ]);
    });

  jobs
    .add('get <job>', 'show a job and its failed records')
    .addHelpText('after', '\nThe exit codes are those of "idsync sync --watch"; see "idsync sync --help".')
    .example('job_…')
    .does(async (session, id: string) => printJob(session, await session.client.call('GET /sync-jobs/{jobId}', id)));

  jobs
    .add('cancel <job>', 'cancel a job; changes that it has applied remain', 'job_… --reason "wrong file"')
    .option('--reason <text>', 'reason, stored with the job; required for a quarantined job')
    .option('--by <name>', 'who cancels the job; stored with it')
    .does(async (session, id: string, options: { reason?: string; by?: string }) => {
      await session.client.call('POST /sync-jobs/{jobId}/cancel', id, options);
      const read = () => session.client.call('GET /sync-jobs/{jobId}', id);
      const { status, records_applied } = await follow(session, read, endingJob, cancelledWithinMs);
      session.printOne({ job_id: id, status, records_applied });
    });

  addPlanCommands(jobs);

  jobs
    .add('undo', 'revert the changes of a job to records that have not changed since')
    .argument('<job>', 'id of the job, which must have ended')
    .option('--preview', 'show what undo would change, without changing it')
    .option('--reason <text>', 'reason, stored with the operation')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', undoHelp)
    .does(async (session, id: string, { preview = false, reason, yes }: UndoOptions) => {
      const question = `Undo ${id}? Records it created are deleted, records it changed are restored (see --preview).`;
      if (!preview && !yes) await confirm(session.io, question);
      printOperation(session, await session.client.call('POST /sync-jobs/{jobId}/undo', id, { preview, reason }));
    });
}

/** Why a job failed, was quarantined or read everything, or what an operator decided. */
function reasonOf({ error_message, note, decision }: responses.OperatorJob): string | undefined {
  if (error_message !== undefined) return error_message;
  return decision?.reason === undefined ? note : `${decision.action}: ${decision.reason}`;
}

type PlanOptions = PageQuery & { action?: PlanAction; externalId?: string };

/** Adds the commands that show, release and apply the plan of a job. */
function addPlanCommands(jobs: CliCommand): void {
  jobs
    .add('plan <job>', 'show the changes and deletions that a quarantined job or a dry run plans, or has applied since')
    .choice('--action <action>', 'only changes of this kind', planActions)
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
    .prints((session, id: string, release: { reason: string; by?: string }) =>
      session.client.call('POST /sync-jobs/{jobId}/release', id, release),
    );

  jobs
    .add('apply', 'apply the plan of a dry run; refused if the directory has changed since', 'job_…')
    .argument('<job>', 'id of the dry run')
    .option('--reason <text>', 'stored with the operation; required if the safeguard would quarantine the plan')
    .addHelpText('after', operationExitCodes)
    .printsOperation((session, id: string, { reason }: { reason?: string }) =>
      session.client.call('POST /sync-jobs/{jobId}/apply', id, { reason }),
    );
}

function describeReason(text: string, examples: readonly string[]): string {
  return examples.length > 0 ? `${text}: for example ${examples.join(', ')}` : text;
}

const more = `
Exit codes with --watch:
  0  completed
  3  completed, but some records could not be read or applied
  1  anything else: failed, cancelled, quarantined, or the outcome is unknown

Example:
  $ idsync sync HR --watch
  $ idsync sync HR --mode full --watch
  $ idsync sync HR --dry-run --watch`;

interface SyncOptions {
  dryRun?: boolean;
  mode?: 'full' | 'changes' | 'auto';
  watch?: boolean;
  timeout: number;
}

export function addSyncCommand(program: CliCommand): void {
  program
    .add('sync <connector>', 'start a sync job')
    .option('--dry-run', 'plan the changes without applying them; see "idsync jobs plan"')
    .choice(
      '--mode <mode>',
      'read all records (full), changed records (changes), or changes where the source supports it (auto)',
      ['full', 'changes', 'auto'],
    )
    .option('--watch', 'wait until the job has ended')
    .option('--timeout <seconds>', 'with --watch: stop waiting after this time', seconds, defaultTimeoutSeconds)
    .addHelpText('after', more)
    .does(async (session, connector: string, options: SyncOptions) => {
      const body = {
        connector_id: await findConnector(session, connector),
        ...(options.dryRun && { dry_run: true }),
        ...(options.mode !== undefined && { mode: options.mode }),
      };
      const started = await session.client.call('POST /sync-jobs', {}, body);
      if (!options.watch) return session.printOne(started);
      const read = () => session.client.call('GET /sync-jobs/{jobId}', started.job_id);
      printJob(session, await follow(session, read, watchableJob, options.timeout * 1_000));
    });
}
