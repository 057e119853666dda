import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseUrl } from '@idsync/contracts';
import { CliError } from './cli-error.js';

export interface SettingFlags {
  url?: string;
  token?: string;
  tenant?: string;
}

export interface Settings {
  url: string;
  token: string;
  tenant: string | undefined;
}

export type Variables = Record<string, string | undefined>;

const defaultUrl = 'http://127.0.0.1:3000';

interface Credentials {
  base_url?: string;
  admin_token?: string;
  tenant_id?: string;
}

/** Resolves address, token and tenant from flags, then the environment, then the credentials file of `npm start`. */
export function readSettings(flags: SettingFlags, env: Variables = process.env, cwd = process.cwd()): Settings {
  const file = readCredentials(resolve(cwd, env.DATA_DIR || '.data', 'credentials.json'));
  const fileUrl = file.base_url ? checkedUrl(file.base_url) : undefined;
  const given = flags.url || env.IDSYNC_URL;
  const url = given ? checkedUrl(given) : (fileUrl ?? defaultUrl);
  // The token of the file must not be sent to a service at another address.
  const credentials: Credentials = url === (fileUrl ?? defaultUrl) ? file : {};
  const token = (flags.token || env.ADMIN_TOKEN || credentials.admin_token)?.trim();
  if (!token) {
    throw new CliError(
      `no operator token for ${url}: pass --token, set ADMIN_TOKEN, or run this in the directory where idsync was started`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CliError('the operator token must contain only printable ASCII characters without spaces');
  return { url, token, tenant: flags.tenant || env.IDSYNC_TENANT || credentials.tenant_id };
}

function checkedUrl(text: string): string {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.search || url.hash) {
    throw new CliError(
      'the address must be an http or https URL such as http://host:3000 (--url, IDSYNC_URL or .data/credentials.json)',
    );
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

function readCredentials(path: string): Credentials {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    // Only the user who started idsync can read the file; other users pass flags instead.
    if (code === 'EACCES') return {};
    throw new CliError(`cannot read ${path} (${code})`);
  }
  try {
    return pickStrings(JSON.parse(text));
  } catch {
    throw new CliError(`${path} is not valid JSON: restart idsync to write it again`);
  }
}

function pickStrings(value: unknown): Credentials {
  const entries = Object.entries(value as Record<string, unknown>).filter(([, part]) => typeof part === 'string');
  return Object.fromEntries(entries);
}
