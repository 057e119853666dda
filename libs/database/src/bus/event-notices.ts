import type { Database } from '../database.js';

/** PostgreSQL notifies it when events are committed, with the tenant and its last sequence. */
export const eventsChannel = 'idsync_events';

/**
 * Calls `onEvents` after each commit of events, in every process that listens. Notifications are lost while the
 * connection is; `onListening` is called when listening begins, and again afterwards.
 */
export function listenToEvents(
  database: Pick<Database, 'listen'>,
  onEvents: (tenantId: string, lastSequence: number) => void,
  onListening: () => void,
): () => Promise<void> {
  const onNotify = (notice: string) => {
    const [tenantId = '', last] = notice.split(' ');
    onEvents(tenantId, Number(last));
  };
  return database.listen(eventsChannel, onNotify, onListening);
}
