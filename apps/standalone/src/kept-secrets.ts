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
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const kept = JSON.parse(text) as { admin_token: string; encryption_key: string };
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

/** Writes JSON for this user's eyes only, whole or not at all. */
export async function writePrivate(file: string, content: object): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}
