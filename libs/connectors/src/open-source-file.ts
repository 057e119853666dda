import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type Cursor, SourceError } from './connector.js';
import { checkSourcePath } from './source-path.js';

/** An open file of a source. Who opens it closes it. */
export interface SourceFile {
  /** As the connector names it, for messages. */
  path: string;
  handle: FileHandle;
  size: number;
  /** Differs when the content does, as far as can be told. */
  fingerprint: string;
  /** False if it was written to since it was opened. */
  unchanged(): Promise<boolean>;
  /** `finished`: nobody will go on reading this version of it. */
  close(finished: boolean): Promise<void>;
  /** By which a source tells later whether it has changed. */
  checkpoint?: Cursor;
}

/** Where a file comes from. */
export interface FileSource {
  open(signal: AbortSignal): Promise<SourceFile>;
  /** Of a source that can tell without being read. */
  isUnchanged?(checkpoint: Cursor, signal: AbortSignal): Promise<boolean>;
}

/** Of opening a file that is replaced each time before we know where it lies. */
const attempts = 10;

/** A file below SOURCES_DIR. Opens first and asks where the open file lies then, so that nothing can be swapped in between. */
export async function openSourceFile(sourcesDir: string, path: string): Promise<SourceFile> {
  const refused = checkSourcePath(path);
  if (refused) throw new SourceError(refused);
  const root = await realpath(sourcesDir).catch((cause) => {
    throw new SourceError('the sources folder cannot be read', { cause });
  });
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const file = await openWithin(root, path);
    if (file) return file;
  }
  throw new SourceError(`"${path}" is replaced over and over`);
}

/** Undefined if another file has taken its place since it was opened. */
async function openWithin(root: string, path: string): Promise<SourceFile | undefined> {
  const full = join(root, path);
  // Without O_NONBLOCK the open of a FIFO would wait for a writer for ever.
  const handle = await open(full, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause) => {
    throw new SourceError(`"${path}" ${openFailure(cause)}`, { cause });
  });
  try {
    const facts = await handle.stat({ bigint: true });
    if (!facts.isFile()) throw new SourceError(`"${path}" is not a regular file`);
    const real = await placeOf(handle, full);
    if (real === undefined) {
      await handle.close();
      return undefined;
    }
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new SourceError(`"${path}" leads out of the sources folder`);
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

/** Throws if the file was written to since it was opened. */
export async function requireUnchanged(file: SourceFile): Promise<void> {
  if (!(await file.unchanged())) throw changed(file);
}

export function changed(file: SourceFile): SourceError {
  return new SourceError(`"${file.path}" changed while it was being read`);
}

function fingerprintOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}-${size}-${mtimeNs}`;
}

/** Where the open file really lies. Elsewhere than on Linux, where its path leads, if that is the same file. */
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
