interface Run {
  created_at: string;
  completed_at?: string;
  status: string;
  dry_run: boolean;
}

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
