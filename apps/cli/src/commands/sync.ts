import { type Command, Option } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Job } from '../admin-replies.js';
import { findConnector } from '../find-connector.js';
import { aDay, follow, seconds } from '../follow.js';
import { exitCodeOf, followedJob, printJob } from '../job-outcome.js';
import { Session, type Surroundings } from '../session.js';

const more = `
Exit codes with --watch:
  0  completed
  3  completed, but some records could not be read or applied
  1  anything else: failed, cancelled, quarantined, or nobody could tell

Example:
  $ idsync sync HR --watch
  $ idsync sync HR --mode full --watch
  $ idsync sync HR --dry-run --watch`;

interface SyncOptions {
  dryRun?: boolean;
  mode?: string;
  watch?: boolean;
  timeout: number;
}

export function addSyncCommand(program: Command, io: Surroundings, exit: (code: number) => void): void {
  program
    .command('sync')
    .description('start a sync job')
    .argument('<connector>', 'its id or its name')
    .option('--dry-run', 'only write down what a run would change; see "idsync jobs plan"')
    .addOption(
      new Option('--mode <mode>', 'read everything, what has changed, or changes where that is possible').choices([
        'full',
        'changes',
        'auto',
      ]),
    )
    .option('--watch', 'follow the job to its end')
    .option('--timeout <seconds>', 'with --watch: give up watching after this long', seconds, aDay)
    .addHelpText('after', more)
    .action(async (connector: string, options: SyncOptions, command: Command) => {
      const session = Session.of(command, io);
      const jobs = pathOf('tenants', session.tenant, 'sync-jobs');
      const body = {
        connector_id: await findConnector(session, connector),
        ...(options.dryRun && { dry_run: true }),
        ...(options.mode !== undefined && { mode: options.mode }),
      };
      const started = await session.client.post<Job>(jobs, body);
      if (!options.watch) return session.printOne(started);
      const job = await follow(session, `${jobs}/${pathOf(started.job_id)}`, followedJob, options.timeout * 1_000);
      printJob(session, job);
      exit(exitCodeOf(job.status));
    });
}
