/** Headers of every request. Those of a webhook cannot replace the first two. */
export function sentHeaders(more: Record<string, string>): Record<string, string> {
  return { 'content-type': 'application/json', 'user-agent': 'idsync-webhooks/1', ...more };
}

/** Parses the decrypted additional headers of a webhook. */
export function headersOf(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>;
}

/** Replaces the values of additional headers, which are secrets, for the stored request. */
export function masked(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '***']));
}

const maxHeaders = 64;
const maxValueBytes = 1_024;
const maxBytes = 8 * 1_024;

/** Returns the headers of a response to store: no cookies, bounded, and only text that PostgreSQL accepts. */
export function storedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const stored: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    const text = storable([value].flat().join(', '));
    bytes += name.length + Buffer.byteLength(text);
    if (bytes > maxBytes || Object.keys(stored).length === maxHeaders) break;
    stored[name] = text;
  }
  return stored;
}

/** A character that the cut divides becomes U+FFFD. */
function storable(text: string): string {
  return Buffer.from(text).subarray(0, maxValueBytes).toString('utf8').replaceAll('\0', '\uFFFD');
}
