import { formatCount } from '../../components/format-time';
import type { Identity, OperatorJobPage } from '../../data/api';

/** The bound of a safeguard in words: a run is held above both numbers, so the greater one is allowed. */
export function allowedOf(bound: { max_percent?: number; max_records?: number }): string | undefined {
  const { max_percent: percent, max_records: records } = bound;
  if (percent === undefined) return undefined;
  if (records === undefined) return `Allowed: ${percent} %`;
  if (percent === 0 && records === 0) return 'Allowed: none';
  return `Allowed: ${percent} % or ${formatCount(records)} ${records === 1 ? 'record' : 'records'}, whichever is more`;
}

/** Fields of the service, which no source lists. */
const ownFields = new Set([
  'id',
  'external_id',
  'tenant_id',
  'created_at',
  'updated_at',
  'last_synced_at',
  'person_id',
]);

type Records = Pick<Identity, 'users' | 'accounts' | 'machine_identities'>;

/** Values of a record of an identity; undefined if it has no such record. */
export function recordValues(
  { users, accounts, machine_identities: machines }: Records,
  recordId: string,
): [field: string, value: unknown][] | undefined {
  const record = [...users, ...accounts, ...machines].find(({ id }) => id === recordId);
  return (
    record &&
    Object.entries(record).filter(
      ([field, value]) => !ownFields.has(field) && value !== '' && !(Array.isArray(value) && value.length === 0),
    )
  );
}

type Run = Pick<OperatorJobPage['data'][number], 'completed_at' | 'dry_run'> & { status: string };

const complete = new Set(['completed', 'completed_with_errors']);

/** End of the newest run that completed before a time, of runs with the newest first. */
export function lastCompletedBefore(runs: readonly Run[], time: string): string | undefined {
  const before = Date.parse(time);
  return runs.find(
    ({ status, dry_run, completed_at }) =>
      !dry_run && complete.has(status) && completed_at !== undefined && Date.parse(completed_at) <= before,
  )?.completed_at;
}

interface Entry {
  before?: unknown;
  after?: unknown;
}

/** Settings that differ between the two states of an audit entry, below `config` by their own names. */
export function changedFields({ before, after }: Entry): string[] {
  const old = settingsOf(before);
  const now = settingsOf(after);
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
    .sort();
}

function settingsOf(state: unknown): Record<string, unknown> {
  // `set` lists what the request contained, whether it was another value or not.
  const { config, set: _, ...rest } = (state ?? {}) as Record<string, unknown>;
  return { ...rest, ...(config as Record<string, unknown> | undefined) };
}
