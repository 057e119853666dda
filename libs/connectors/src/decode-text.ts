const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 bytes that were read as one character per byte. Returns undefined for invalid UTF-8 and for NUL, which
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
