/** Maximum wait for a readiness probe. */
const probeWithinMs = 10_000;

/**
 * Waits until `delayMs` after a probe was answered with unready, so that a load balancer that probes late can still
 * react. Without a delay, no load balancer is expected.
 */
export async function waitForDrain(
  delayMs: number,
  unreadyReported: Promise<void>,
  withinMs = probeWithinMs,
): Promise<void> {
  if (delayMs === 0) return;
  const timers: NodeJS.Timeout[] = [];
  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => timers.push(setTimeout(resolve, milliseconds)));
  await Promise.race([unreadyReported.then(() => pause(delayMs)), pause(Math.max(delayMs, withinMs))]);
  for (const timer of timers) clearTimeout(timer);
}
