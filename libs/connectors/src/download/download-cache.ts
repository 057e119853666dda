import { createHash, randomUUID } from 'node:crypto';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { SourceError } from '../connector.js';

/** Files are retained this long for a job that resumes later. */
const retentionMs = 24 * 60 * 60 * 1000;

const facts = z.object({
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
});
/** Metadata of a downloaded file. */
export type FileFacts = z.infer<typeof facts>;

export interface CachedFile {
  facts: FileFacts;
  /** Closed by the caller. */
  handle: FileHandle;
}

/** A file that is being downloaded. */
export interface FilePart {
  path: string;
  handle: FileHandle;
}

/**
 * Caches downloaded files while they are read, in a folder that only this user can access. A job that resumes on the
 * same machine does not download its file again.
 */
export class DownloadCache {
  private constructor(
    private readonly dir: string,
    private readonly key: string,
  ) {}

  /** `identity` contains everything that determines the download: the address and the credentials. */
  static async of(identity: unknown, dir = ownFolder()): Promise<DownloadCache> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const found = await lstat(dir);
    const ours = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
    if (!found.isDirectory() || !ours)
      throw new SourceError('the download folder must be accessible to its owner only', 'misconfigured');
    await removeOld(dir);
    return new DownloadCache(dir, createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 40));
  }

  async create(): Promise<FilePart> {
    const path = join(this.dir, `${this.key}-${randomUUID()}.part`);
    return { path, handle: await open(path, 'wx+', 0o600) };
  }

  async discard({ path, handle }: FilePart): Promise<void> {
    await handle.close();
    await unlink(path).catch(() => undefined);
  }

  async find(): Promise<CachedFile | undefined> {
    try {
      const found = facts.parse(JSON.parse(await readFile(this.factsPath, 'utf8')));
      const handle = await open(this.dataPath(found), 'r');
      if ((await handle.stat()).size === found.size) return { facts: found, handle };
      await handle.close();
    } catch {
      // A missing or incomplete file is downloaded again.
    }
    return undefined;
  }

  /**
   * Stores the content before the metadata, so that metadata never exists without content. Removes the previous
   * version.
   */
  async keep({ path }: FilePart, found: FileFacts, before: FileFacts | undefined): Promise<void> {
    await rename(path, this.dataPath(found));
    const written = `${path}.json`;
    await writeFile(written, JSON.stringify(found), { mode: 0o600 });
    await rename(written, this.factsPath);
    if (before && before.sha256 !== found.sha256) await unlink(this.dataPath(before)).catch(() => undefined);
  }

  async drop(found: FileFacts): Promise<void> {
    await Promise.all([this.factsPath, this.dataPath(found)].map((path) => unlink(path).catch(() => undefined)));
  }

  private get factsPath(): string {
    return join(this.dir, `${this.key}.json`);
  }

  private dataPath({ sha256 }: FileFacts): string {
    return join(this.dir, `${this.key}-${sha256}`);
  }
}

async function removeOld(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > retentionMs) await unlink(path).catch(() => undefined);
  }
}

function ownFolder(): string {
  return join(tmpdir(), `idsync-sources-${process.getuid?.() ?? 'own'}`);
}
