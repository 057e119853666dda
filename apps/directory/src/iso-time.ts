let last = new Date(0);
let text = last.toISOString();

/** Returns the time as ISO 8601. A batch writes few different times with all of its records. */
export function isoTime(time: Date): string {
  if (time.getTime() === last.getTime()) return text;
  text = time.toISOString();
  last = new Date(time);
  return text;
}
