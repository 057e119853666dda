/** True if a subscription's `events` name this type: itself, a prefix of it (`identity.*`), or everything (`*`). */
export function wantsEvent(events: readonly string[], type: string): boolean {
  return events.some((name) => {
    if (name === '*' || name === type) return true;
    return name.endsWith('.*') && type.startsWith(name.slice(0, -1));
  });
}
