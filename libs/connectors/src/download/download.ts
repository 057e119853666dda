import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiClient } from '../http/api-client.js';
import { RefusedAnswer, TransientFailure } from '../http/failures.js';
import type { HttpAnswer } from '../http/http-transport.js';
import type { FileFacts } from './download-cache.js';

/** The validators of a file version. */
export type Validators = Pick<FileFacts, 'etag' | 'lastModified'>;

/** A file modified within this time may be modified again with the same Last-Modified. */
const settledMs = 60_000;

interface Download {
  client: ApiClient;
  url: string;
  into: FileHandle;
  /** Validators of the cached version, which is not downloaded again if unchanged. */
  known: Validators | undefined;
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Downloads a file and resumes an interrupted download of the same version. Returns undefined if the cached version is
 * current. Throws SourceError for an incomplete file.
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
    const same = strongValidator(version);
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
    const resumes = status === 206 && rangeOf(answer.headers)?.start === bytes;
    if (!resumes && status !== 200) {
      await restart({});
      throw new TransientFailure(`answered ${status} with a range other than the requested one`);
    }
    if (!resumes) await restart(validatorsOf(answer.headers));
    const length = resumes ? rangeOf(answer.headers)?.total : lengthOf(answer.headers);
    if (length === undefined && !/\bchunked\b/i.test(answer.headers['transfer-encoding'] ?? '')) {
      throw new RefusedAnswer('the server reports no length of the file, so that a truncated file cannot be detected', {
        code: 'incomplete',
      });
    }
    if (length !== undefined && length > maxBytes)
      throw new RefusedAnswer(`the file is larger than ${maxBytes} bytes`, { code: 'too_large' });
    for await (const chunk of chunks) {
      if (bytes + chunk.length > maxBytes)
        throw new RefusedAnswer(`the file is larger than ${maxBytes} bytes`, { code: 'too_large' });
      await into.write(chunk, 0, chunk.length, bytes);
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (length !== undefined && bytes !== length)
      throw new TransientFailure(`received ${bytes} of ${length} bytes`, { code: 'incomplete' });
    return { ...version, sha256: hash.digest('hex'), size: bytes };
  });
}

/** Checks whether the cached version is current, without downloading the file. */
export async function isCurrent(
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

/** Returns a validator for byte ranges. A weak ETag does not guarantee identical bytes. */
function strongValidator({ etag, lastModified }: Validators): string | undefined {
  return etag === undefined ? lastModified : etag.startsWith('W/') ? undefined : etag;
}

function rangeOf(headers: IncomingHttpHeaders): { start: number; total: number | undefined } | undefined {
  const [, start, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? undefined : { start: Number(start), total: total === '*' ? undefined : Number(total) };
}

function lengthOf({ 'content-length': length }: IncomingHttpHeaders): number | undefined {
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}
