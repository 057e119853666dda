import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Job, List, Operation } from '../admin-replies.js';
import { confirm } from '../confirm.js';
import { findConnector } from '../find-connector.js';
import { exitCodeOf, printJob } from '../job-outcome.js';
import { exitCodeOf as exitCodeOfOperation, operationExitCodes, printOperation } from '../operation-outcome.js';
import { Session, type Surroundings } from '../session.js';
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

const undoHelp = `
The next sync of the source has the last word again: mend the source first.

Example:
  $ idsync jobs undo job_… --preview
  $ idsync jobs undo job_… --reason "wrong file"
${operationExitCodes}`;

export function addJobCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const jobs = program.command('jobs').description("list, cancel and undo a tenant's sync jobs");

  jobs
    .command('list')
    .description('list the jobs')
    .option('--connector <connector>', 'only those of this connector, by id or name')
    .option('--status <status>', 'only those in this status')
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--offset <count>', 'leave out this many first', wholeNumber, 0)
    .action(async (options: ListOptions, command: Command) => {
      const session = Session.of(command, io);
      const query = new URLSearchParams({ limit: String(options.limit), offset: String(options.offset) });
      if (options.connector) query.set('connector_id', await findConnector(session, options.connector));
      if (options.status) query.set('status', options.status);
      const list = await session.client.get<List<Job>>(`${pathOf('tenants', session.tenant, 'sync-jobs')}?${query}`);
      session.printList(list, ['id', 'connector', 'status', '%', 'read', 'applied', 'failed', 'created'], (job) => [
        job.job_id,
        job.connector_id,
        job.status,
        job.progress_pct,
        job.records_read,
        job.records_applied,
        job.records_failed,
        job.created_at,
      ]);
    });

  jobs
    .command('get')
    .description('show a job and the records that failed')
    .argument('<job>', 'its id')
    .addHelpText('after', '\nThe exit code is that of "idsync sync --watch"; see there.')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      const job = await session.client.get<Job>(pathOf('tenants', session.tenant, 'sync-jobs', id));
      printJob(session, job);
      exit(exitCodeOf(job.status));
    });

  jobs
    .command('cancel')
    .description('cancel a job; what it has applied stays')
    .argument('<job>', 'its id')
    .option('--reason <text>', 'kept with the job; a quarantined job needs one')
    .option('--by <name>', 'who decides, kept with the job')
    .action(async (id: string, options: { reason?: string; by?: string }, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'cancel');
      const job = await session.client.post<Partial<Job> | undefined>(path, options);
      session.printOne({ job_id: id, ...job });
    });

  addPlanCommands(jobs, io, exit);

  jobs
    .command('undo')
    .description('put back what a job changed and nobody changed since')
    .argument('<job>', 'its id; it must have ended')
    .option('--preview', 'only tell what that would be')
    .option('--reason <text>', 'kept with the operation')
    .option('--yes', 'do not ask')
    .addHelpText('after', undoHelp)
    .action(async (id: string, { preview, reason, yes }: UndoOptions, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'sync-jobs', id, 'undo');
      if (!preview && !yes) {
        await confirm(io, `Undo ${id}? What it brought is deleted, what it changed is as before (--preview shows it).`);
      }
      const operation = await session.client.post<Operation>(path, { preview: preview ?? false, reason });
      printOperation(session, operation);
      exit(exitCodeOfOperation(operation.status));
    });
}
