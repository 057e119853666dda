import { formatDuration } from '../../components/format-time.js';
import type { OperatorJobPage } from '../../data/api';

type Job = OperatorJobPage['data'][number];
type Timed = Pick<Job, 'created_at' | 'started_at' | 'last_record_at' | 'completed_at'> & { status?: string };

/** Statuses of runs that can be cancelled. */
export const cancellable: readonly string[] = ['queued', 'running', 'quarantined'];

/**
 * How long a run took, or has taken until now. None before it has started. The time in which a held run waits for its
 * decision does not count.
 */
export function durationOf(run: Timed, now: number): string | undefined {
  const { started_at, last_record_at, completed_at, status } = run;
  if (!started_at) return undefined;
  const end = completed_at ?? (status === 'quarantined' ? last_record_at : undefined);
  return formatDuration(Math.max(0, (end ? Date.parse(end) : now) - Date.parse(started_at)));
}

type Kind = Pick<Job, 'dry_run' | 'external_id'> & { mode: string; retires?: boolean };

/** `Full read, dry run`: what a run reads, and whether it changes anything. */
export function kindOf({ mode, dry_run, retires, external_id }: Kind): string {
  const read = retires
    ? 'Retires a deleted source'
    : external_id !== undefined
      ? `One record: ${external_id}`
      : mode === 'full'
        ? 'Full read'
        : mode === 'changes'
          ? 'Changes only'
          : mode;
  return dry_run ? `${read}, dry run` : read;
}

type Counted = Pick<Job, 'dry_run' | 'note'> & { status: string };

/** How a run calls the records that it has compared with the directory: only some runs apply them. */
export function appliedWords({ status, dry_run, note }: Counted): { label: string; about?: string } {
  if (dry_run) return { label: 'Would apply', about: 'A dry run changes nothing' };
  if (status === 'quarantined') return { label: 'Applied or set aside', about: 'The plan shows what waits' };
  if (status === 'cancelled' && note?.startsWith('quarantined'))
    return { label: 'Applied or discarded', about: 'The run was held, and then cancelled' };
  return { label: 'Applied' };
}

interface Step {
  title: string;
  at: string;
  detail?: string;
}

interface Run extends Timed, Pick<Job, 'scheduled_for' | 'records_read' | 'error_message'> {
  status: string;
  decision?: Decision;
}

interface Decision {
  action: string;
  reason?: string;
  by?: string;
  at: string;
  after?: Decision;
}

/** The steps of a run and the decisions about it, in the order of time. */
export function stepsOf(run: Run): Step[] {
  const steps: Step[] = [
    { title: run.scheduled_for ? 'Queued by its schedule' : 'Queued', at: run.created_at },
    ...(run.started_at ? [{ title: 'Started to read the source', at: run.started_at }] : []),
    ...(run.last_record_at
      ? [{ title: 'Read the last record', at: run.last_record_at, detail: `${run.records_read} records in total` }]
      : []),
    ...decisionsOf(run.decision).map(({ action, reason, by, at }) => ({
      title: `Decided: ${action}${by ? `, by ${by}` : ''}`,
      at,
      detail: reason,
    })),
    ...(run.completed_at
      ? [{ title: `Ended: ${run.status.replaceAll('_', ' ')}`, at: run.completed_at, detail: run.error_message }]
      : []),
  ];
  return steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function decisionsOf(decision: Decision | undefined): Decision[] {
  return decision ? [decision, ...decisionsOf(decision.after)] : [];
}

interface Phase {
  title: 'Waiting' | 'Reading' | 'Held' | 'Applying';
  ms: number;
  /** Start and share of the whole in percent. Time in which a run is held has none, because it would hide the rest. */
  start: number;
  share: number;
}

/** The parts of the time of a run until it ended, or until now. Applying goes on beside reading, and ends after it. */
export function phasesOf(run: Omit<Run, 'records_read'>, now: number): Phase[] {
  const { created_at, started_at, last_record_at, completed_at, status } = run;
  const end = completed_at ? Date.parse(completed_at) : now;
  const started = started_at ? Date.parse(started_at) : end;
  const read = last_record_at && started_at ? Date.parse(last_record_at) : end;
  const decisions = decisionsOf(run.decision).map(({ at }) => Date.parse(at));
  const decided = decisions.filter((at) => at >= read && at <= end);
  const released = decided.length > 0 ? Math.min(...decided) : status === 'quarantined' ? end : read;
  const parts: [Phase['title'], number][] = [
    ['Waiting', started - Date.parse(created_at)],
    ['Reading', read - started],
    ['Held', released - read],
    ['Applying', end - released],
  ];
  const shown = parts.map(([title, ms]) => ({ title, ms: Math.max(0, ms) })).filter(({ ms }) => ms > 0);
  const whole = shown.reduce((sum, { title, ms }) => sum + (title === 'Held' ? 0 : ms), 0);
  let before = 0;
  return shown.map(({ title, ms }) => {
    const start = whole === 0 ? 0 : (100 * before) / whole;
    const counted = title === 'Held' ? 0 : ms;
    before += counted;
    return { title, ms, start, share: whole === 0 ? 0 : (100 * counted) / whole };
  });
}
