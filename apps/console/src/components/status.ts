export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'neutral';

/** Tones of all statuses of the API. One that is not listed is neutral, since new ones may be added. */
const tones: Record<string, Tone> = {
  active: 'ok',
  ok: 'ok',
  completed: 'ok',
  delivered: 'ok',
  done: 'ok',
  closed: 'ok',
  linked: 'ok',
  resolved: 'ok',
  completed_with_errors: 'warn',
  quarantined: 'warn',
  held: 'warn',
  pending: 'info',
  suspended: 'warn',
  locked: 'warn',
  open: 'warn',
  half_open: 'warn',
  stale: 'warn',
  orphaned: 'warn',
  accepted: 'info',
  queued: 'info',
  running: 'info',
  ready: 'info',
  new: 'info',
  failing: 'bad',
  failed: 'bad',
  dead: 'bad',
  refused: 'bad',
  rejected: 'bad',
};

export function toneOf(status: string): Tone {
  return (Object.hasOwn(tones, status) ? tones[status] : undefined) ?? 'neutral';
}

const ownWords: Record<string, string> = { ok: 'OK', quarantined: 'Held' };

/** `completed_with_errors` as people read it. */
export function wordsOf(code: string): string {
  const own = Object.hasOwn(ownWords, code) ? ownWords[code] : undefined;
  if (own) return own;
  const words = code.replaceAll('_', ' ').replaceAll('.', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
