import type { FilePlace } from '@idsync/contracts';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { authenticate } from '../http/authenticate.js';
import type { HttpLimits } from '../http/http-limits.js';
import { HttpTransport, parseSourceUrl } from '../http/http-transport.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import { download, isCurrent, type Validators } from './download.js';
import { type CachedFile, DownloadCache } from './download-cache.js';

export interface WebAccess {
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

  async function withClient<T>(work: (client: ApiClient, maxBytes: number) => Promise<T>): Promise<T> {
    const transport = new HttpTransport({ allowedCidrs, limits, ca });
    try {
      const authentication = authenticate(transport, auth, secrets);
      const client = new ApiClient(transport, {
        baseUrl: address.origin,
        ...(authentication && { auth: authentication }),
      });
      return await work(client, transport.limits.fileBytes);
    } finally {
      await transport.close();
    }
  }

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
