import type { Tone } from './words';

interface Health {
  active: boolean;
  disabled_at?: string;
  disabled_reason?: string;
  breaker: { state: string; open_until?: string };
  dead: { count: number };
  failures: number;
}

interface HealthWords {
  tone: Tone;
  word: string;
  /** Why it does not receive events as it should, and what helps. */
  reason?: string;
}

/** Whether a webhook receives its events, worst first. */
export function healthOf({ active, disabled_at, disabled_reason, breaker, dead, failures }: Health): HealthWords {
  if (!active)
    return disabled_at
      ? {
          tone: 'bad',
          word: 'Switched off',
          reason: `${disabled_reason ?? 'It failed for too long.'} Mend the receiver, set it active again, then requeue.`,
        }
      : {
          tone: 'neutral',
          word: 'Inactive',
          reason: 'Its subscriber or an operator has set it inactive. Events are not kept for it.',
        };
  if (breaker.state !== 'closed')
    return {
      tone: 'bad',
      word: 'Does not answer',
      reason: `${failures} attempts failed in a row, so deliveries wait. One is tried every few minutes; a test event is tried at once.`,
    };
  if (dead.count > 0)
    return {
      tone: 'warn',
      word: 'Has dead deliveries',
      reason: 'Their retries are exhausted. Requeue sends them again.',
    };
  if (failures > 0) return { tone: 'warn', word: 'Fails', reason: 'Deliveries are retried by the schedule.' };
  return { tone: 'ok', word: 'Healthy' };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
