import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface KeptSecrets {
  adminToken: string;
  /** 32 bytes; what webhook secrets are sealed with. Losing it makes them unreadable. */
  encryptionKey: Buffer;
}

/** The secrets nobody gave: made once, and kept in the data directory for the next start. */
export async function keptSecrets(dataDir: string): Promise<KeptSecrets> {
  const file = join(dataDir, 'secrets.json');
  const kept = await readKept<{ admin_token: string; encryption_key: string }>(file);
  if (kept) {
    return { adminToken: kept.admin_token, encryptionKey: Buffer.from(kept.encryption_key, 'base64') };
  }
  const made = {
    admin_token: randomBytes(32).toString('base64url'),
    encryption_key: randomBytes(32).toString('base64'),
  };
  await mkdir(dataDir, { recursive: true });
  await writePrivate(file, made);
  return { adminToken: made.admin_token, encryptionKey: Buffer.from(made.encryption_key, 'base64') };
}

/** What a file of ours says; undefined if there is none. One that cannot be read is an error: it must not be written over. */
export async function readKept<Content>(file: string): Promise<Content | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be read: ${reason}`, { cause: error });
  }
}

/** Writes JSON for this user's eyes only, whole or not at all. */
export async function writePrivate(file: string, content: object): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}
