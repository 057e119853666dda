import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { checkSourcePath } from '@idsync/contracts';
import { type Cursor, SourceError } from './connector.js';

/** An open source file. The opener closes it. */
export interface SourceFile {
  /** The configured path, for messages. */
  path: string;
  handle: FileHandle;
  size: number;
  /** Identifies the content by inode, size and modification time, or by version. */
  fingerprint: string;
  /** Returns whether the file was not modified since it was opened. */
  unchanged(): Promise<boolean>;
  /** `finished`: no later read resumes in this version of the file. */
  close(finished: boolean): Promise<void>;
  /** The checkpoint by which the source later detects a change. */
  checkpoint?: Cursor;
}

/** The origin of a file. */
export interface FileSource {
  open(signal: AbortSignal): Promise<SourceFile>;
  /** Only for sources that detect changes without a read. */
  isUnchanged?(checkpoint: Cursor, signal: AbortSignal): Promise<boolean>;
}

/** Attempts to open a file that is replaced before its location is checked. */
const attempts = 10;

/** The base folder of connector paths: SOURCES_DIR or the folder of the tenant in it. */
export interface SourcesFolder {
  sourcesDir: string;
  /** The name of the tenant's folder; absent if all tenants share SOURCES_DIR. */
  tenantFolder?: string | undefined;
}

/**
 * Opens a file in the sources folder. Checks the location after opening, so that the file cannot be swapped in between.
 */
export async function openSourceFile(folder: SourcesFolder, path: string): Promise<SourceFile> {
  const refused = checkSourcePath(path);
  if (refused) throw new SourceError(refused, 'misconfigured');
  const root = await rootOf(folder);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const file = await openWithin(root, path);
    if (file) return file;
  }
  throw new SourceError(`"${path}" was replaced during each of ${attempts} attempts to open it`, 'changed');
}

async function rootOf({ sourcesDir, tenantFolder }: SourcesFolder): Promise<string> {
  const shared = await realpath(sourcesDir).catch((cause) => {
    throw new SourceError('the sources folder cannot be read', { code: 'misconfigured', cause });
  });
  if (tenantFolder === undefined) return shared;
  const own = join(shared, tenantFolder);
  const real = await realpath(own).catch((cause) => {
    throw new SourceError(`the sources folder has no folder "${tenantFolder}" for the files of this tenant`, {
      code: 'misconfigured',
      cause,
    });
  });
  // A link could lead to the files of another tenant.
  if (real !== own)
    throw new SourceError(
      `the folder of this tenant, "${tenantFolder}", is a link, which is not followed`,
      'misconfigured',
    );
  return own;
}

/** Returns undefined if the file was replaced after it was opened. */
async function openWithin(root: string, path: string): Promise<SourceFile | undefined> {
  const full = join(root, path);
  // Without O_NONBLOCK, opening a FIFO blocks until a writer opens it.
  const handle = await open(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause) => {
    throw new SourceError(`"${path}" ${openFailure(cause)}`, { code: 'not_found', cause });
  });
  try {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) throw new SourceError(`"${path}" is not a regular file`, 'misconfigured');
    const real = await placeOf(handle, full);
    if (real === undefined) {
      await handle.close();
      return undefined;
    }
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new SourceError(`"${path}" is outside the sources folder`, 'misconfigured');
    }
    const fingerprint = fingerprintOf(facts);
    return {
      path,
      handle,
      size: Number(facts.size),
      fingerprint,
      unchanged: async () => fingerprintOf(await handle.stat({ bigint: true })) === fingerprint,
      close: async () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Throws if the file was modified since it was opened. */
export async function requireUnchanged(file: SourceFile): Promise<void> {
  if (!(await file.unchanged())) throw changed(file);
}

export function changed(file: SourceFile): SourceError {
  return new SourceError(`"${file.path}" changed while it was being read`, 'changed');
}

function fingerprintOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}-${size}-${mtimeNs}`;
}

/** Returns the real path of the open file. Outside Linux it resolves the path and checks that the file is the same. */
async function placeOf(handle: FileHandle, full: string): Promise<string | undefined> {
  const own = await realpath(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (own !== undefined) return own;
  try {
    const real = await realpath(full);
    const [opened, named] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })]);
    return opened.dev === named.dev && opened.ino === named.ino ? real : undefined;
  } catch {
    return undefined;
  }
}

function openFailure(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist in the sources folder';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read';
  if (code === 'ENXIO') return 'is not a regular file';
  return `cannot be opened (${String(code)})`;
}
