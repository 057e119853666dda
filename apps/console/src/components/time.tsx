import { useSyncExternalStore } from 'react';
import { timeZone } from '../app/preferences';
import { useStore } from '../data/store';
import { formatTime, timeAgo } from './format-time';

const tickMs = 10_000;
let now = Date.now();

function onTick(listener: () => void): () => void {
  const timer = setInterval(() => {
    if (document.hidden) return;
    now = Date.now();
    listener();
  }, tickMs);
  return () => clearInterval(timer);
}

/** A time in the zone that is chosen in the sidebar. */
export function Time({ at }: { at: string }) {
  const zone = useStore(timeZone);
  return <time dateTime={at}>{formatTime(at, zone)}</time>;
}

/** How long ago a time was; the time itself is its tooltip. */
export function Ago({ at }: { at: string }) {
  const zone = useStore(timeZone);
  const current = useSyncExternalStore(onTick, () => now);
  // A time after the last tick is not in the future.
  const shown = timeAgo(at, Math.max(current, Math.min(Date.parse(at), current + tickMs)));
  return (
    <time dateTime={at} title={formatTime(at, zone)}>
      {shown}
    </time>
  );
}
