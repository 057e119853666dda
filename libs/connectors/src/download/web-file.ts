import type { FilePlace } from '@idsync/contracts';
import { z } from 'zod';
import { SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { authenticate } from '../http/authenticate.js';
import type { HttpLimits } from '../http/http-limits.js';
import { HttpTransport, parseSourceUrl } from '../http/http-transport.js';
import type { FileSource, SourceFile } from '../open-source-file.js';
import { download, isStill, type Validators } from './download.js';
import { type KeptFile, KeptFiles } from './kept-files.js';

export interface WebAccess {
  secrets: Readonly<Record<string, string>>;
  allowedCidrs: readonly string[];
  limits?: Partial<HttpLimits>;
  /** Where what is downloaded lies until it is read; a folder of this user's in the system's for temporary files unless told. */
  keptIn?: string;
}

const validators = z.object({ etag: z.string().optional(), lastModified: z.string().optional() });

/** A file at an address. It is downloaded whole before it is read, so that nothing of it is read that breaks off. */
export function webFile({ url = '', auth = { type: 'none' }, ca }: FilePlace, access: WebAccess): FileSource {
  const address = parseSourceUrl(url);
  const { secrets, allowedCidrs, limits, keptIn } = access;
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
    const kept = await KeptFiles.of([url, auth, secrets], keptIn);
    const before = await kept.find();
    const known = before && told(before.facts);
    const part = await kept.create();
    try {
      const into = part.handle;
      const fresh = await withClient((client, maxBytes) => download({ client, url, into, known, maxBytes, signal }));
      if (fresh) {
        await kept.keep(part, fresh, before?.facts);
        await before?.handle.close();
        return opened({ facts: fresh, handle: into }, kept);
      }
      if (!before) throw new SourceError(`${name} answered 304 to who has nothing of it`);
      await kept.discard(part);
      return opened(before, kept);
    } catch (error) {
      await Promise.all([before?.handle.close(), kept.discard(part)]);
      throw error;
    }
  }

  function opened({ facts, handle }: KeptFile, kept: KeptFiles): SourceFile {
    const version = told(facts);
    return {
      path: name,
      handle,
      size: facts.size,
      fingerprint: facts.sha256,
      ...(version && { checkpoint: { ...version } }),
      // Nobody else writes it.
      unchanged: async () => true,
      async close(finished) {
        await handle.close();
        if (finished) await kept.drop(facts);
      },
    };
  }

  return {
    open,
    async isUnchanged(checkpoint, signal) {
      const known = validators.safeParse(checkpoint).data;
      return (
        known !== undefined && told(known) !== undefined && withClient((client) => isStill(client, url, known, signal))
      );
    },
  };
}

function told({ etag, lastModified }: Validators): Validators | undefined {
  if (etag !== undefined) return { etag };
  return lastModified === undefined ? undefined : { lastModified };
}
