import { SourceError } from './connector.js';
import { changed, type SourceFile } from './open-source-file.js';

const chunkBytes = 64 * 1024;

/** The text of a file from an offset, as UTF-8. */
export interface SourceText {
  /** Offset of the first byte of `chunks`: the requested one, or the first after a byte order mark. */
  start: number;
  chunks: AsyncIterable<Buffer>;
}

/**
 * Reads the text of a file. Offsets count bytes of the file. For UTF-16 with a byte order mark they count bytes of the
 * text as UTF-8, and reading from an offset decodes the file from its beginning.
 */
export async function readText(file: SourceFile, from: number, signal: AbortSignal): Promise<SourceText> {
  const head = Buffer.alloc(3);
  await file.handle.read(head, 0, 3, 0);
  if (head.equals(Buffer.from([0xef, 0xbb, 0xbf]))) {
    const start = Math.max(from, 3);
    return { start, chunks: readBytes(file, start, signal) };
  }
  const mark = head.readUInt16BE(0);
  if (mark === 0xfffe) return { start: from, chunks: skip(decode(file, 'utf-16le', signal), from) };
  if (mark === 0xfeff) return { start: from, chunks: skip(decode(file, 'utf-16be', signal), from) };
  return { start: from, chunks: readBytes(file, from, signal) };
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

async function* decode(file: SourceFile, encoding: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of readBytes(file, 0, signal)) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    decoder.decode();
  } catch (cause) {
    if (cause instanceof TypeError) throw new SourceError(`"${file.path}" is not valid ${encoding}`, { cause });
    throw cause;
  }
}

async function* skip(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
