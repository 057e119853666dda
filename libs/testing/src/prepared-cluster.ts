// Data directories of PostgreSQL that tests copy, because a copy needs a fifth of the CPU time of initdb and migrations.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where a test run keeps them until it ends. Outside of a run nothing would delete them. */
const folder = () => process.env.IDSYNC_TEST_RUN && join(tmpdir(), `idsync-clusters-${process.env.IDSYNC_TEST_RUN}`);

/**
 * Fills a new data directory with a copy of the one that `prepare` leaves, which is called once per test run and `kind`.
 * Its server must be stopped.
 */
export async function fillDataDir(
  dataDir: string,
  kind: string,
  prepare: (dataDir: string) => Promise<void>,
): Promise<void> {
  const shared = folder();
  if (!shared) return prepare(dataDir);
  const prepared = join(shared, kind);
  if (!existsSync(prepared)) {
    const making = `${prepared}.${randomBytes(4).toString('hex')}`;
    await mkdir(making, { recursive: true });
    await prepare(making);
    // Another worker may have prepared it in the meantime.
    await rename(making, prepared).catch(() => rm(making, { recursive: true, force: true }));
  }
  await run('cp', ['-a', `${prepared}/.`, dataDir]);
}

/** Deletes those of this test run. */
export async function removePreparedClusters(): Promise<void> {
  const shared = folder();
  if (shared) await rm(shared, { recursive: true, force: true });
}
