import type { CliCommand } from '../cli-command.js';
import { findConnector } from '../find-connector.js';
import { defaultTimeoutSeconds, follow, seconds } from '../follow.js';
import { printJob, watchableJob } from '../job-outcome.js';

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
    .add('sync', 'start a sync job')
    .argument('<connector>', 'id or name of the connector')
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
