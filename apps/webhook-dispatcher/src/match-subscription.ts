import { matchesFilter, type WebhookFilter } from '@idsync/contracts';

/** True if a subscription's `events` name this type: itself, a prefix of it (`identity.*`), or everything (`*`). */
export function wantsEvent(events: readonly string[], type: string): boolean {
  return events.some((name) => {
    if (name === '*' || name === type) return true;
    return name.endsWith('.*') && type.startsWith(name.slice(0, -1));
  });
}

/** Returns a test of filters for an event, which is parsed only if there is a filter. */
export function filterTest(body: string): (filter: WebhookFilter | null) => boolean {
  let event: unknown;
  return (filter) => {
    if (filter === null) return true;
    event ??= JSON.parse(body);
    return matchesFilter(filter, event);
  };
}
