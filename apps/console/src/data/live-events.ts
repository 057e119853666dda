import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { streamState } from './query-client';

const settleMs = 500;
/** As often as polling would, also while events never cease. */
const refreshEveryMs = 5_000;
const reopenMs = 30_000;

/** Reads queries of a tenant again when events change them, while the page is visible. */
export function useLiveEvents(tenantId: string): void {
  const client = useQueryClient();
  useEffect(() => followEvents(client, tenantId), [client, tenantId]);
}

/** Returns a function that stops it. */
function followEvents(client: QueryClient, tenantId: string): () => void {
  let source: EventSource | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  const refresh = refresher(client, tenantId);

  const close = () => {
    clearTimeout(reopening);
    source?.close();
    source = undefined;
    streamState.isUp = false;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const opened = new EventSource(`/admin/v1/tenants/${tenantId}/events/stream`);
    source = opened;
    // Read once more: events may have occurred between the last read and the begin of the stream.
    opened.onopen = () => setUp(true);
    opened.onmessage = ({ data }) => refresh.after(JSON.parse(data) as EventMessage);
    opened.addEventListener('reset', () => refresh.all());
    opened.onerror = () => {
      setUp(false);
      // After a lost connection the browser connects again by itself, but not after a refusal.
      if (opened.readyState === EventSource.CLOSED) reopening = setTimeout(open, reopenMs);
    };
  };
  /** A query takes over another interval when it is read. */
  const setUp = (isUp: boolean) => {
    if (streamState.isUp === isUp) return;
    streamState.isUp = isUp;
    refresh.all();
  };

  open();
  document.addEventListener('visibilitychange', open);
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
    refresh.stop();
  };
}

/** Has queries read again. Events are collected for a moment, so that many of them cause one read. */
function refresher(client: QueryClient, tenantId: string) {
  /** Undefined if any query may have changed. */
  let collected: EventMessage[] | undefined = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let nextAt = 0;
  const run = () => {
    const events = collected;
    collected = [];
    timer = undefined;
    nextAt = Date.now() + refreshEveryMs;
    void client.invalidateQueries({
      predicate: (query) => isAffected(query.queryKey, tenantId, events) && !isHeld(query),
    });
  };
  const schedule = () => {
    timer ??= setTimeout(run, Math.max(settleMs, nextAt - Date.now()));
  };
  return {
    after(event: EventMessage) {
      collected?.push(event);
      schedule();
    },
    all() {
      collected = undefined;
      schedule();
    },
    stop: () => clearTimeout(timer),
  };
}

/** A list that is read beyond its first page, or whose polling is off, does not change while it is read. */
function isHeld(query: Query): boolean {
  const { data } = query.state as { data?: { pages?: unknown[] } | undefined };
  const isPaused = query.observers.some(({ options: { refetchInterval } }) =>
    typeof refetchInterval === 'function' ? refetchInterval(query) === false : refetchInterval === false,
  );
  return isPaused || (data?.pages?.length ?? 0) > 1;
}

/** The parts of a message of the event stream that decide what is read again. */
interface EventMessage {
  event_type: string;
  identity_id?: string;
}

/** Queries by the first part of their key, which events change by the first part of their type. */
const byGroup: Record<string, readonly string[]> = {
  identity: ['people', 'people-count', 'identity', 'cases'],
  lifecycle: ['people', 'identity'],
  user: ['people', 'identity'],
  account: ['accounts', 'identity', 'cases'],
  machine_identity: ['machines', 'identity'],
  sync: ['jobs', 'connectors', 'cases', 'failing-records'],
  finding: ['findings'],
  webhook: ['webhooks', 'deliveries'],
};
const byEach = ['events', 'activity'];
const all = new Set([...byEach, ...Object.values(byGroup).flat()]);

/** Whether a query of a tenant may have another result after the events, or after any if they are unknown. */
export function isAffected(queryKey: readonly unknown[], tenantId: string, events?: readonly EventMessage[]): boolean {
  const [name, ofTenant, id] = queryKey as [string, ...unknown[]];
  if (ofTenant !== tenantId) return false;
  if (!events) return all.has(name);
  if (byEach.includes(name)) return events.length > 0;
  return events.some(
    ({ event_type, identity_id }) =>
      byGroup[event_type.split('.', 1)[0] ?? '']?.includes(name) && (name !== 'identity' || identity_id === id),
  );
}
