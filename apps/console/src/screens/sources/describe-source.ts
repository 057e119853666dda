import { sentenceOf } from '../../components/words';
import type { Connector } from '../../data/api';

type Schedule = Omit<NonNullable<Connector['schedule']>, 'jitter'>;

/** `every 15m, a full read within 24 h`: when a source is read. */
export function scheduleOf(schedule: Schedule | undefined): string {
  if (!schedule) return 'Manual';
  const { every, cron, time_zone, paused, full_every_hours } = schedule;
  const times = every ? `Every ${every}` : `At ${cron ?? ''}${time_zone ? ` in ${time_zone}` : ''}`;
  return `${times}, a full read within ${full_every_hours} h${paused ? ' (paused)' : ''}`;
}

interface Safeguard {
  within_hours: number;
  [limit: string]: number | readonly string[];
}

/** Pairs of a limit and its two bounds: a run is held if it passes both. */
export function limitsOf(safeguard: Safeguard): (readonly [string, string])[] {
  return Object.keys(safeguard).flatMap((name) => {
    const [, kind] = /^max_(\w+)_percent$/.exec(name) ?? [];
    if (!kind) return [];
    return [[sentenceOf(kind), `${safeguard[name]} % and ${safeguard[`max_${kind}_records`]} records`]];
  });
}
