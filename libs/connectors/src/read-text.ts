import type { FileEncoding } from '@idsync/contracts';
import iconv from 'iconv-lite';
import { SourceError } from './connector.js';
import { changed, type SourceFile } from './open-source-file.js';

const chunkBytes = 64 * 1024;

/** The text of a file from an offset, as UTF-8. */
interface SourceText {
  /** The encoding of the file: by its byte order mark, otherwise the expected one. */
  encoding: FileEncoding;
  /** Offset of the first byte of `chunks`: the requested one, or the first after a byte order mark. */
  start: number;
  chunks: AsyncIterable<Buffer>;
}

/**
 * Reads the text of a file. Offsets count bytes of the file if it is UTF-8. For other encodings they count bytes of the
 * text as UTF-8, and reading from an offset decodes the file from its beginning.
 */
export async function readText(
  file: SourceFile,
  from: number,
  signal: AbortSignal,
  expected: FileEncoding = 'utf-8',
): Promise<SourceText> {
  const mark = await markOf(file);
  const encoding = mark?.encoding ?? expected;
  if (encoding === 'utf-8') {
    const start = Math.max(from, mark?.bytes ?? 0);
    return { encoding, start, chunks: readBytes(file, start, signal) };
  }
  if (encoding.startsWith('utf-16') && file.size % 2 > 0)
    throw new SourceError(`"${file.path}" is not valid ${encoding}: it ends within a character`, 'incomplete');
  return { encoding, start: from, chunks: skip(decode(file, encoding, signal), from) };
}

/** Reads up to `bytes` bytes from the beginning of a file. */
export async function readHead(file: SourceFile, bytes: number): Promise<Buffer> {
  const head = Buffer.alloc(Math.min(bytes, file.size));
  const { bytesRead } = await file.handle.read(head, 0, head.length, 0);
  return head.subarray(0, bytesRead);
}

async function markOf(file: SourceFile): Promise<{ encoding: FileEncoding; bytes: number } | undefined> {
  const head = (await readHead(file, 3)).toString('latin1');
  if (head === '\xef\xbb\xbf') return { encoding: 'utf-8', bytes: 3 };
  if (head.startsWith('\xff\xfe')) return { encoding: 'utf-16le', bytes: 2 };
  if (head.startsWith('\xfe\xff')) return { encoding: 'utf-16be', bytes: 2 };
  return undefined;
}

async function* readBytes(file: SourceFile, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let at = from; at < file.size; ) {
    signal.throwIfAborted();
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, file.size - at));
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw changed(file);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Removes a byte order mark. Bytes that the encoding does not have become U+FFFD. */
async function* decode(file: SourceFile, encoding: FileEncoding, signal: AbortSignal): AsyncGenerator<Buffer> {
  const decoder = iconv.getDecoder(encoding);
  for await (const chunk of readBytes(file, 0, signal)) yield Buffer.from(decoder.write(chunk));
  yield Buffer.from(decoder.end() ?? '');
}

async function* skip(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 bytes that were read as one character per byte. Returns undefined for invalid UTF-8 and for NUL, which
 * PostgreSQL cannot store.
 */
export function decodeText(bytes: string): string | undefined {
  if (/[\x80-\xff]/.test(bytes)) return utf8Text(Buffer.from(bytes, 'latin1'));
  return bytes.includes('\0') ? undefined : bytes;
}

/** Decodes UTF-8 bytes. Returns undefined for invalid UTF-8 and for NUL. */
export function utf8Text(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
