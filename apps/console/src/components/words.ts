import type { Explanation } from '../data/api';

/** The entry of a table for a key from outside, such as a status that a later version has added. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The text with a capital letter at its start. */
export const sentenceOf = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

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
  return entryOf(tones, status) ?? 'neutral';
}

const ownWords: Record<string, string> = { ok: 'OK', quarantined: 'Held' };

/** `completed_with_errors` as people read it. */
export function wordsOf(code: string): string {
  return entryOf(ownWords, code) ?? sentenceOf(code.replaceAll(/[_.]/g, ' '));
}

/** A value of a record on one line. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  if (Array.isArray(value)) return value.length === 0 ? '—' : value.map(shownValue).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  // A date without a time, such as a date of hire.
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text;
}

const names: Readonly<Record<string, string>> = {
  user: 'People',
  account: 'Accounts',
  machine_identity: 'Machines',
};

/** Names the records that a source lists, as the screens that show them do. */
export const recordsName = (records: string) => names[records] ?? wordsOf(records);

/** The message of a run without the status that the page shows already: `quarantined: the run would …`. */
export const holdMessage = (message: string) => sentenceOf(message.replace(/^quarantined: /, ''));

type LinkedRecord = Explanation['records'][number];

/** Why a record belongs to its identity, in one sentence. */
export function describeLink({ linked, evidence }: Pick<LinkedRecord, 'linked' | 'evidence'>): string {
  const reason = evidence?.reason ? `: ${evidence.reason}` : '';
  switch (evidence?.kind ?? linked) {
    case 'first':
      return 'The first record of this identity: there was nothing to compare it with.';
    case 'keys':
      return evidence?.rule
        ? `${wordsOf(evidence.rule.replace('attributes.', ''))} is the same.`
        : 'A match key is the same.';
    case 'fuzzy':
      return `${evidence?.rule ?? 'A fuzzy rule'} fits${evidence?.score === undefined ? '' : ` with ${Math.round(evidence.score * 100)} %`}.`;
    case 'operator':
      return `An operator linked it${reason}.`;
    case 'owner':
      return 'A machine that this person owns.';
    case 'technical_inheritor':
      return 'A machine that this person takes over if its owner leaves.';
    default:
      return 'It is not known why.';
  }
}

const acronyms: Record<string, string> = {
  url: 'URL',
  dn: 'DN',
  id: 'ID',
  ssl: 'TLS',
  ca: 'Certificate authorities',
  oauth2: 'OAuth 2',
  auth: 'Authentication',
};

/** `bind_dn` as people read it: `Bind DN`. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => entryOf(acronyms, word) ?? word);
  return sentenceOf(words.join(' '));
}

/** Lines with text; undefined without any. */
export function linesOf(text: string): string[] | undefined {
  const lines = text.split('\n');
  return lines.some((line) => line.trim() !== '') ? lines : undefined;
}

/** The setting that a message of the service is about: `config.url must be …` is about `url`. */
export function settingOf(message: string): string | undefined {
  return /^(?:config|secrets)\.([a-z_]+)/.exec(message)?.[1];
}

interface Issued {
  expires_at?: string;
  revoked_at?: string;
}

/** Whether a key or token can be used, and the tone of the answer. */
export function stateOf({ expires_at, revoked_at }: Issued, now = Date.now()): { word: string; tone: Tone } {
  if (revoked_at) return { word: 'Revoked', tone: 'neutral' };
  if (!expires_at) return { word: 'Active', tone: 'ok' };
  const leftMs = Date.parse(expires_at) - now;
  if (leftMs <= 0) return { word: 'Expired', tone: 'neutral' };
  return leftMs < 7 * 86_400_000 ? { word: 'Expires soon', tone: 'warn' } : { word: 'Active', tone: 'ok' };
}
