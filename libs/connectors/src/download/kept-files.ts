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

/** For a job that is taken up later; then what nobody came for goes. */
const keptMs = 24 * 60 * 60 * 1000;

const facts = z.object({
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
});
/** What is known of a file that was downloaded. */
export type FileFacts = z.infer<typeof facts>;

export interface KeptFile {
  facts: FileFacts;
  /** Who has it closes it. */
  handle: FileHandle;
}

/** A file that is being downloaded. */
export interface FilePart {
  path: string;
  handle: FileHandle;
}

/**
 * Downloaded files while they are read, in a folder that nobody else may look into. A job that is taken up on the same machine
 * finds its file again, so it is not downloaded twice.
 */
export class KeptFiles {
  private constructor(
    private readonly dir: string,
    private readonly key: string,
  ) {}

  /** `identity` is all that decides what is downloaded: where from, and by whom. */
  static async of(identity: unknown, dir = ownFolder()): Promise<KeptFiles> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const found = await lstat(dir);
    const ours = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
    if (!found.isDirectory() || !ours) throw new SourceError('the folder for downloads is open to others');
    await removeOld(dir);
    return new KeptFiles(dir, createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 40));
  }

  async create(): Promise<FilePart> {
    const path = join(this.dir, `${this.key}-${randomUUID()}.part`);
    return { path, handle: await open(path, 'wx+', 0o600) };
  }

  async discard({ path, handle }: FilePart): Promise<void> {
    await handle.close();
    await unlink(path).catch(() => undefined);
  }

  async find(): Promise<KeptFile | undefined> {
    try {
      const found = facts.parse(JSON.parse(await readFile(this.factsPath, 'utf8')));
      const handle = await open(this.dataPath(found), 'r');
      if ((await handle.stat()).size === found.size) return { facts: found, handle };
      await handle.close();
    } catch {
      // Not there, or not whole: it is downloaded.
    }
    return undefined;
  }

  /** The content first: facts are never without it. What was kept `before` is another version. */
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
    if (Date.now() - mtimeMs > keptMs) await unlink(path).catch(() => undefined);
  }
}

function ownFolder(): string {
  return join(tmpdir(), `idsync-sources-${process.getuid?.() ?? 'own'}`);
}
