import { formatCount, formatDuration } from '../../components/format-time.js';
import type { Tone } from '../../components/words';
import type { InstallationAnswer } from '../../data/api';

export type System = InstallationAnswer<'GET /system'>;
export type Process = System['processes'][number];
export type Queue = System['queues'][number];

/** Counts of PostgreSQL end here. */
const countedTo = 1_000;
/** As the alerts IdsyncQueueBehind and IdsyncOutboxStuck. */
const behindSeconds = 600;
const outboxBehindSeconds = 120;

/** `12`, or `1,000 or more` where the service counts no further. */
export function countOf(messages: number | undefined, isCapped = true): string {
  if (messages === undefined) return 'Unknown';
  return isCapped && messages >= countedTo ? `${formatCount(countedTo)} or more` : formatCount(messages);
}

/** Age of the oldest message; a dash if none waits or the broker does not report it. */
export function lagOf({ messages, lag_seconds }: Pick<Queue, 'messages' | 'lag_seconds'>): string {
  return messages && lag_seconds !== undefined ? formatDuration(lag_seconds * 1_000) : '—';
}

export function stateOfQueue({ messages, lag_seconds = 0, consumers }: Queue): { word: string; tone: Tone } {
  if (messages === undefined) return { word: 'Unknown', tone: 'neutral' };
  if (consumers === 0) return { word: 'No consumer', tone: 'bad' };
  return lag_seconds > behindSeconds ? { word: 'Behind', tone: 'warn' } : { word: 'OK', tone: 'ok' };
}

export function stateOfProcess(process: Process): { word: string; tone: Tone } {
  if (!process.responding) return { word: 'Silent', tone: 'bad' };
  if (!process.broker_connected) return { word: 'Broker away', tone: 'bad' };
  return process.outbox_lag_seconds > outboxBehindSeconds
    ? { word: 'Outbox behind', tone: 'warn' }
    : { word: 'Running', tone: 'ok' };
}

/** Name, version and connection of the broker. */
export function brokerOf({ kind, version, connected }: System['broker']): string {
  if (kind === 'postgresql') return 'Queues in PostgreSQL';
  return connected ? `RabbitMQ ${version ?? ''}`.trim() : 'RabbitMQ, not connected';
}

/** Services of which no process responds. */
export function missingServices({ queues, processes }: Pick<System, 'queues' | 'processes'>): string[] {
  const running = new Set(processes.filter(({ responding }) => responding).map(({ service }) => service));
  return [...new Set(queues.map(({ service }) => service))].filter((service) => !running.has(service));
}

/** The versions that run side by side, the most recent start last. */
export function versionsOf(processes: readonly Process[]): string[] {
  return [...new Set(processes.filter(({ responding }) => responding).map(({ version }) => version))];
}
