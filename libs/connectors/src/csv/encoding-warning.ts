import type { FileEncoding } from '@idsync/contracts';

/** Bytes of a file that show its encoding. */
export const encodingSample = 1024 * 1024;

/** Compares the encoding with which a file is read with its first bytes, which are text of single bytes or UTF-8. */
export function encodingWarning(encoding: FileEncoding, head: Buffer): string[] {
  if (encoding.startsWith('utf-16') || head.every((byte) => byte < 0x80)) return [];
  const isUtf8 = isValidUtf8(head);
  if (encoding === 'utf-8' && !isUtf8)
    return ['the file is not valid UTF-8, so values are missing; set encoding, for example to windows-1252'];
  if (encoding !== 'utf-8' && isUtf8) return [`the file is valid UTF-8, but it is read as ${encoding}`];
  return [];
}

function isValidUtf8(head: Buffer): boolean {
  try {
    // The sample can end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length === encodingSample });
    return true;
  } catch {
    return false;
  }
}
