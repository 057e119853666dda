/** True if a subscription's `events` name this type: itself, a prefix of it (`identity.*`), or everything (`*`). */
export function wantsEvent(events: readonly string[], type: string): boolean {
  return events.some((name) => {
    if (name === '*' || name === type) return true;
    return name.endsWith('.*') && type.startsWith(name.slice(0, -1));
  });
}

/** The same as SQL's LIKE has it, with the tests, which nobody needs to name. */
export function likePatterns(events: readonly string[]): string[] {
  return [...new Set([...events, 'webhook.test'])].map((name) => name.replaceAll('_', '\\_').replace(/\*$/, '%'));
}
