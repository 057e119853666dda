/** Whoever never looks is waited for no longer than this. */
const looksWithinMs = 10_000;

/**
 * Until those who send requests have had `delayMs` since they were `told` that this process ends: a look that comes late, from a
 * balancer that is busy, is waited for. Without a delay nobody is expected to look.
 */
export async function serveUntilSeen(delayMs: number, told: Promise<void>, withinMs = looksWithinMs): Promise<void> {
  if (delayMs === 0) return;
  const timers: NodeJS.Timeout[] = [];
  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => timers.push(setTimeout(resolve, milliseconds)));
  await Promise.race([told.then(() => pause(delayMs)), pause(Math.max(delayMs, withinMs))]);
  for (const timer of timers) clearTimeout(timer);
}
