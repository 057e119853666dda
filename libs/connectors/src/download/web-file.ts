import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { FilePlace } from '@idsync/contracts';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { onTransport } from '../http/api-source.js';
import { authenticate } from '../http/authenticate.js';
import { RefusedAnswer, TransientFailure } from '../http/failures.js';
import { type HttpAnswer, type HttpLimits, parseSourceUrl } from '../http/http-transport.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import { type CachedFile, DownloadCache, type FileFacts } from './download-cache.js';

interface WebAccess {
  secrets: Readonly<Record<string, string>>;
  allowedCidrs: readonly string[];
  limits?: Partial<HttpLimits>;
  /** Folder for downloads; by default a folder of this user in the system's temporary folder. */
  cacheDir?: string;
}

const validators = z.object({ etag: z.string().optional(), lastModified: z.string().optional() });

/** Creates the source of a file at a URL, which is downloaded completely before it is read. */
export function webFile({ url = '', auth = { type: 'none' }, ca }: FilePlace, access: WebAccess): FileSource {
  const address = parseSourceUrl(url);
  const { secrets, allowedCidrs, limits, cacheDir } = access;
  const name = `${address.origin}${address.pathname}`;

  const withClient = <T>(work: (client: ApiClient, maxBytes: number) => Promise<T>): Promise<T> =>
    onTransport({ allowedCidrs, limits, ca }, async (transport) => {
      const client = new ApiClient(transport, {
        baseUrl: address.origin,
        auth: authenticate(transport, auth, secrets),
      });
      return work(client, transport.limits.fileBytes);
    });

  async function open(signal: AbortSignal): Promise<SourceFile> {
    const cache = await DownloadCache.of([url, auth, secrets], cacheDir);
    const before = await cache.find();
    const known = before && versionOf(before.facts);
    const part = await cache.create();
    try {
      const into = part.handle;
      const fresh = await withClient((client, maxBytes) => download({ client, url, into, known, maxBytes, signal }));
      if (fresh) {
        await cache.keep(part, fresh, before?.facts);
        await before?.handle.close();
        return opened({ facts: fresh, handle: into }, cache);
      }
      if (!before) throw new SourceError(`${name} answered 304, but no cached copy exists`);
      await cache.discard(part);
      return opened(before, cache);
    } catch (error) {
      await Promise.all([before?.handle.close(), cache.discard(part)]);
      throw error;
    }
  }

  function opened({ facts, handle }: CachedFile, cache: DownloadCache): SourceFile {
    const version = versionOf(facts);
    return {
      path: name,
      handle,
      size: facts.size,
      fingerprint: facts.sha256,
      ...(version && { checkpoint: { ...version } }),
      // No other process writes the cached file.
      unchanged: async () => true,
      async close(finished) {
        await handle.close();
        if (finished) await cache.drop(facts);
      },
    };
  }

  return {
    open,
    async isUnchanged(checkpoint, signal) {
      const known = validators.safeParse(checkpoint).data;
      return (
        known !== undefined &&
        versionOf(known) !== undefined &&
        withClient((client) => isCurrent(client, url, known, signal))
      );
    },
  };
}

function versionOf({ etag, lastModified }: Validators): Validators | undefined {
  if (etag !== undefined) return { etag };
  return lastModified === undefined ? undefined : { lastModified };
}

/** The validators of a file version. */
type Validators = Pick<FileFacts, 'etag' | 'lastModified'>;

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
async function download({ client, url, into, known, maxBytes, signal }: Download): Promise<FileFacts | undefined> {
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
async function isCurrent(client: ApiClient, url: string, known: Validators, signal: AbortSignal): Promise<boolean> {
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
