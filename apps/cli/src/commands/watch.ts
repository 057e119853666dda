import { setTimeout as pause } from 'node:timers/promises';
import type { responses } from '@idsync/contracts';
import { eventCells } from '../cells.js';
import type { CliCommand } from '../cli-command.js';
import { UnreachableError } from '../cli-error.js';
import { interruptedExitCode, interruption, openEventStream } from '../event-stream.js';
import { connectorNames } from '../find-connector.js';
import { commaSeparated } from '../input.js';
import { StreamPrinter } from '../printer.js';
import type { Session } from '../session.js';

const help = `
Jobs need the operator token, events the API key of the tenant (scope events:read). Without a key, only jobs are shown.

Examples:
  $ idsync watch
  $ idsync watch --types 'identity.*,lifecycle.*'`;

const everyMs = 2_000;
const longestOutageMs = 300_000;
/** Newest jobs that are compared; more cannot start between two requests in practice. */
const comparedJobs = 50;

/** Adds the command that shows jobs and events as they happen. */
export function addWatchCommand(program: CliCommand): void {
  program
    .add('watch', 'show the progress of jobs and all events as they occur, until interrupted')
    .option('--types <types>', 'only these event types or prefixes, comma-separated', commaSeparated)
    .addHelpText('after', help)
    .does(async (session, { types }: { types?: string[] }) => {
      const { signal: interrupted, dispose } = interruption(session.io);
      const failed = new AbortController();
      const signal = AbortSignal.any([interrupted, failed.signal]);
      const printer = new StreamPrinter(session, ['time', 'kind', 'what', 'subject', 'details'], [24, 5, 26, 30]);
      const onOutage = (message: string) => session.note(`${message}; trying again`);
      const ending = async (work: Promise<void>) => {
        try {
          await work;
        } catch (error) {
          failed.abort();
          throw error;
        }
      };
      try {
        const events = async () => {
          for await (const event of await openEventStream(session, { types, signal, onOutage })) {
            const [time, , type, subject, ...details] = eventCells(event);
            const shown = details.flat().filter((each) => each !== undefined);
            printer.print({ kind: 'event', ...event }, [time, 'event', type, subject, shown.join(', ')]);
          }
        };
        const hasKey = session.settings.apiKey !== undefined;
        if (!hasKey) session.note('no API key: showing jobs only');
        await Promise.all([ending(watchJobs(session, printer, signal)), ...(hasKey ? [ending(events())] : [])]);
        session.exit(interruptedExitCode);
      } finally {
        dispose();
      }
    });
}

async function watchJobs(session: Session, printer: StreamPrinter, signal: AbortSignal): Promise<void> {
  const changes = new JobChanges();
  let names = await connectorNames(session);
  let answeredAt = Date.now();
  while (!signal.aborted) {
    try {
      const { data } = await session.client.call('GET /sync-jobs', {}, { limit: comparedJobs, offset: 0 });
      answeredAt = Date.now();
      const changed = changes.of(data);
      if (changed.some(({ connector_id: id }) => !names.has(id))) names = await connectorNames(session);
      for (const job of changed) {
        const row = [new Date().toISOString(), 'job', progressOf(job), job.job_id, detailsOf(job, names)];
        printer.print({ kind: 'job', ...job }, row);
      }
    } catch (error) {
      if (!(error instanceof UnreachableError) || Date.now() - answeredAt > longestOutageMs) throw error;
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

function progressOf({ status, progress_pct: percent }: WatchedJob): string {
  return status === 'running' ? `${status} ${percent} %` : status;
}

function detailsOf(job: responses.OperatorJob, names: ReadonlyMap<string, string>): string {
  const amounts = `${job.records_applied} applied, ${job.records_deleted} deleted, ${job.records_failed} failed`;
  const name = names.get(job.connector_id) ?? job.connector_id;
  return [name, job.mode, job.dry_run ? 'dry run' : '', amounts, job.error_message ?? job.note ?? '']
    .filter((part) => part !== '')
    .join(', ');
}

type WatchedJob = Pick<responses.OperatorJob, 'job_id' | 'status' | 'progress_pct'>;

const ended = new Set(['completed', 'completed_with_errors', 'failed', 'cancelled']);

/** Finds the jobs of a list that changed since the list before. */
export class JobChanges {
  private seen: ReadonlyMap<string, string> | undefined;

  /** `jobs`: newest first. Returns the changed ones, oldest first; at the first call those that have not ended. */
  of<Job extends WatchedJob>(jobs: readonly Job[]): Job[] {
    const before = this.seen;
    const stateOf = ({ status, progress_pct }: Job) => `${status} ${progress_pct}`;
    this.seen = new Map(jobs.map((job) => [job.job_id, stateOf(job)]));
    return jobs
      .filter((job) => (before ? before.get(job.job_id) !== stateOf(job) : !ended.has(job.status)))
      .toReversed();
  }
}
