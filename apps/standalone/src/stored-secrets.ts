import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface StoredSecrets {
  adminToken: string;
  /** 32 bytes that encrypt webhook and connector secrets, which are lost with it. */
  encryptionKey: Buffer;
}

/** Loads the secrets that are not configured from the data directory, or generates and stores them at the first start. */
export async function storedSecrets(dataDir: string): Promise<StoredSecrets> {
  const file = join(dataDir, 'secrets.json');
  const stored = await readStored<{ admin_token: string; encryption_key: string }>(file);
  if (stored) {
    return { adminToken: stored.admin_token, encryptionKey: Buffer.from(stored.encryption_key, 'base64') };
  }
  const generated = {
    admin_token: randomBytes(32).toString('base64url'),
    encryption_key: randomBytes(32).toString('base64'),
  };
  await mkdir(dataDir, { recursive: true });
  await writePrivate(file, generated);
  return { adminToken: generated.admin_token, encryptionKey: Buffer.from(generated.encryption_key, 'base64') };
}

/** Parses a JSON file; undefined if it does not exist. Throws if it is unreadable, because it must not be overwritten. */
export async function readStored<Content>(file: string): Promise<Content | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot read ${file}: ${reason}`, { cause: error });
  }
}

/** Writes JSON atomically, readable for the current user only. */
export async function writePrivate(file: string, content: object): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}
