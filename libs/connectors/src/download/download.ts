import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiClient } from '../http/api-client.js';
import { RefusedAnswer, TransientFailure } from '../http/failures.js';
import type { HttpAnswer } from '../http/http-transport.js';
import type { FileFacts } from './kept-files.js';

/** What a server tells a version of a file by. */
export type Validators = Pick<FileFacts, 'etag' | 'lastModified'>;

/** A file that was written within this time may be written again without looking newer. */
const settledMs = 60_000;

interface Download {
  client: ApiClient;
  url: string;
  into: FileHandle;
  /** What is there already; it need not come again if it is still the same. */
  known: Validators | undefined;
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Downloads a file, from where it broke off if it is still the same one. Undefined if what is known is still what there is. Throws
 * SourceError unless all of it is there.
 */
export async function download({
  client,
  url,
  into,
  known,
  maxBytes,
  signal,
}: Download): Promise<FileFacts | undefined> {
  let bytes = 0;
  let hash = createHash('sha256');
  let version: Validators = {};
  const headers = (): Record<string, string> => {
    const same = strong(version);
    if (bytes > 0 && same !== undefined) return { range: `bytes=${bytes}-`, 'if-range': same };
    return known ? conditions(known) : {};
  };
  const restart = async (next: Validators) => {
    bytes = 0;
    hash = createHash('sha256');
    version = next;
    await into.truncate(0);
  };

  return client.download(url, { headers, accept: [304, 416], signal }, async (answer: HttpAnswer) => {
    const { status, chunks } = answer;
    if (status === 304) return undefined;
    const goesOn = status === 206 && rangeOf(answer.headers)?.start === bytes;
    if (!goesOn && status !== 200) {
      await restart({});
      throw new TransientFailure(`answered ${status} with another part than was asked for`);
    }
    if (!goesOn) await restart(validatorsOf(answer.headers));
    const length = goesOn ? rangeOf(answer.headers)?.total : lengthOf(answer.headers);
    if (length === undefined && !/\bchunked\b/i.test(answer.headers['transfer-encoding'] ?? '')) {
      throw new RefusedAnswer('the server does not tell where the file ends, so what is missing would not be seen');
    }
    if (length !== undefined && length > maxBytes) throw new RefusedAnswer(`the file is larger than ${maxBytes} bytes`);
    for await (const chunk of chunks) {
      if (bytes + chunk.length > maxBytes) throw new RefusedAnswer(`the file is larger than ${maxBytes} bytes`);
      await into.write(chunk, 0, chunk.length, bytes);
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (length !== undefined && bytes !== length)
      throw new TransientFailure(`${bytes} bytes came where ${length} were told`);
    return { ...version, sha256: hash.digest('hex'), size: bytes };
  });
}

/** Asks whether a file is still the version that is known, and reads nothing of it. */
export async function isStill(
  client: ApiClient,
  url: string,
  known: Validators,
  signal: AbortSignal,
): Promise<boolean> {
  const headers = () => conditions(known);
  return client.download(url, { headers, accept: [304], signal }, async ({ status }) => status === 304);
}

function conditions({ etag, lastModified }: Validators): Record<string, string> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified };
}

function validatorsOf(headers: IncomingHttpHeaders): Validators {
  const { etag, date, 'last-modified': lastModified } = headers;
  if (etag) return { etag };
  const age = Date.parse(date ?? '') - Date.parse(lastModified ?? '');
  return lastModified && age >= settledMs ? { lastModified } : {};
}

/** What tells a version byte by byte; a weak ETag says only that it means the same. */
function strong({ etag, lastModified }: Validators): string | undefined {
  return etag === undefined ? lastModified : etag.startsWith('W/') ? undefined : etag;
}

function rangeOf(headers: IncomingHttpHeaders): { start: number; total: number | undefined } | undefined {
  const [, start, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? undefined : { start: Number(start), total: total === '*' ? undefined : Number(total) };
}

function lengthOf({ 'content-length': length }: IncomingHttpHeaders): number | undefined {
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
