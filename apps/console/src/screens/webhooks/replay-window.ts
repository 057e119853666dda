/** Times and events of a replay, as its form holds them: times are local, `2026-11-24T13:05`, or empty. */
interface ReplayInput {
  since: string;
  until: string;
  /** One on each line; all that the webhook subscribes to if empty. */
  events: string;
}

export interface ReplayWindow {
  since: string;
  until?: string;
  events?: string[];
}

/** Returns the window of a form; undefined while it has no time from which events are sent again. */
export function windowOf({ since, until, events }: ReplayInput): ReplayWindow | undefined {
  const from = timeOf(since);
  if (from === undefined) return undefined;
  const to = timeOf(until);
  const chosen = events
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return { since: from, ...(to !== undefined && { until: to }), ...(chosen.length > 0 && { events: chosen }) };
}

function timeOf(local: string): string | undefined {
  const at = Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** The value of a field for local times, in whole minutes. */
export function localTime(at: number): string {
  const minutes = new Date(at).getTimezoneOffset();
  return new Date(at - minutes * 60_000).toISOString().slice(0, 16);
}
