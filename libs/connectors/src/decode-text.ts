const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of UTF-8 bytes that were read one character per byte; undefined if they are not UTF-8, or contain NUL, which
 * PostgreSQL cannot store.
 */
export function decodeText(bytes: string): string | undefined {
  if (bytes.includes('\0')) return undefined;
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  try {
    return decoder.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
