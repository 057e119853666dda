import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
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

/** Whom to talk to and as whom: flags, then the environment, then what `npm start` wrote in this directory. */
export function readSettings(flags: SettingFlags, env: Variables = process.env, cwd = process.cwd()): Settings {
  const file = readCredentials(resolve(cwd, env.DATA_DIR || '.data', 'credentials.json'));
  const fileUrl = file.base_url ? checkedUrl(file.base_url) : undefined;
  const given = flags.url || env.IDSYNC_URL;
  const url = given ? checkedUrl(given) : (fileUrl ?? defaultUrl);
  // The file's token and tenant belong to the file's service: another address never gets them.
  const own: Credentials = url === (fileUrl ?? defaultUrl) ? file : {};
  const token = (flags.token || env.ADMIN_TOKEN || own.admin_token)?.trim();
  if (!token) {
    throw new CliError(
      `no operator token for ${url}: give --token, set ADMIN_TOKEN, or run this where idsync was started`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CliError('the operator token has characters that no token can have');
  return { url, token, tenant: flags.tenant || env.IDSYNC_TENANT || own.tenant_id };
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.search || url.hash) {
    throw new CliError('the address must look like http://host:3000 (--url, IDSYNC_URL or .data/credentials.json)');
  }
  return url.href.replace(/\/+$/, '');
}

function readCredentials(path: string): Credentials {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    // It is private to the user who started idsync; anyone else can still give everything by flags.
    if (code === 'EACCES') return {};
    throw new CliError(`${path} cannot be read (${code})`);
  }
  try {
    return pickTexts(JSON.parse(text));
  } catch {
    throw new CliError(`${path} is not valid JSON; start idsync again to have it written anew`);
  }
}

function pickTexts(value: unknown): Credentials {
  const entries = Object.entries(value as Record<string, unknown>).filter(([, part]) => typeof part === 'string');
  return Object.fromEntries(entries);
}
