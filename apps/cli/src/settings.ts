import { resolve } from 'node:path';
// Without the schemas of the other contracts, which take most of the start of a command.
import { parseUrl } from '@idsync/contracts/parse-url';
import { UsageError } from './cli-error.js';
import { type Context, contextNamed, contextsPath, readContexts, readIfThere } from './contexts.js';
import type { Variables } from './printer.js';

export interface SettingFlags {
  url?: string;
  token?: string;
  apiKey?: string;
  tenant?: string;
  context?: string;
}

export interface Settings {
  url: string;
  token: string | undefined;
  apiKey: string | undefined;
  tenant: string | undefined;
}

const defaultUrl = 'http://127.0.0.1:3000';

/**
 * Resolves address, tenant and credentials: from flags, then the context that --context names, then the environment,
 * then the current context, then the credentials file of `npm start`. Credentials of a context or a file are sent only
 * to its own address.
 */
export function readSettings(flags: SettingFlags, env: Variables = process.env, cwd = process.cwd()): Settings {
  const named = flags.context ? contextNamed(readContexts(contextsPath(env)), flags.context) : undefined;
  const variables = named ? {} : env;
  const stored =
    named ?? currentContext(env) ?? readCredentials(resolve(cwd, env.DATA_DIR || '.data', 'credentials.json'));
  const storedUrl = stored.url ? checkedUrl(stored.url) : defaultUrl;
  const given = flags.url || variables.IDSYNC_URL;
  const url = given ? checkedUrl(given) : storedUrl;
  const credentials: Partial<Context> = url === storedUrl ? stored : {};
  return {
    url,
    token: checkedSecret('the operator token', flags.token || variables.ADMIN_TOKEN || credentials.token),
    apiKey: checkedSecret('the API key', flags.apiKey || variables.IDSYNC_API_KEY || credentials.api_key),
    tenant: flags.tenant || variables.IDSYNC_TENANT || credentials.tenant,
  };
}

/** Returns the operator token, which requests to `/admin/v1` need. */
export function requireToken({ url, token }: Settings): string {
  if (token) return token;
  throw new UsageError(
    `no operator token for ${url}: pass --token, set ADMIN_TOKEN, add a context, or run this in the directory where idsync was started`,
  );
}

/** Returns the API key, which requests to `/v1` need. */
export function requireKey({ url, apiKey }: Settings): string {
  if (apiKey) return apiKey;
  throw new UsageError(
    `no API key for ${url}: pass --api-key, set IDSYNC_API_KEY, or add a context; "idsync keys create" makes a key`,
  );
}

/** Returns the address without a slash at its end. Throws if it is none of an idsync service. */
export function checkedUrl(text: string): string {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.search || url.hash) {
    throw new UsageError(
      `the address must be an http or https URL such as http://host:3000, got "${withoutPassword(text)}" (--url, IDSYNC_URL, the context or .data/credentials.json)`,
    );
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Trims a credential. Throws if no header can contain it. */
export function checkedSecret(what: string, text: string | undefined): string | undefined {
  const secret = text?.trim();
  if (!secret) return undefined;
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new UsageError(`${what} must contain only printable ASCII characters without spaces`);
  }
  return secret;
}

/** Reads address, tenant and credentials from the file that `npm start` writes; a missing file has none. */
export function readCredentials(path: string): Partial<Context> {
  // Only the user who started idsync can read the file; other users pass flags instead.
  const text = readIfThere(path, ['ENOENT', 'ENOTDIR', 'EACCES']);
  if (text === undefined) return {};
  try {
    const { base_url: url, tenant_id: tenant, admin_token: token, api_key } = pickStrings(JSON.parse(text));
    return { url, tenant, token, api_key };
  } catch {
    throw new UsageError(`${path} is not valid JSON: restart idsync to write it again`);
  }
}

function currentContext(env: Variables): Context | undefined {
  const contexts = readContexts(contextsPath(env));
  const name = env.IDSYNC_CONTEXT || contexts.current;
  return name ? contextNamed(contexts, name) : undefined;
}

function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//…@');
}

function pickStrings(value: unknown): Record<string, string | undefined> {
  const strings: Record<string, string> = {};
  for (const [name, part] of Object.entries(value as object)) if (typeof part === 'string') strings[name] = part;
  return strings;
}
