import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, UsageError } from './cli-error.js';
import type { Variables } from './printer.js';

/** One installation: its address and what a command needs to reach it. */
export interface Context {
  url: string;
  tenant?: string;
  token?: string;
  api_key?: string;
}

export interface Contexts {
  /** The context that commands use unless they name another one. */
  current?: string;
  contexts: Record<string, Context>;
}

/** Path of the file, after the XDG Base Directory Specification, which ignores relative paths. */
export function contextsPath(env: Variables): string {
  const configured = env.XDG_CONFIG_HOME;
  const base = configured?.startsWith('/') ? configured : join(env.HOME || homedir(), '.config');
  return join(base, 'idsync', 'contexts.json');
}

/** Reads a file; undefined if there is none. */
export function readIfThere(path: string, codes: readonly string[] = ['ENOENT', 'ENOTDIR']): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (codes.includes(code)) return undefined;
    throw new CliError(`cannot read ${path} (${code})`);
  }
}

/** Reads the stored contexts; a missing file has none. */
export function readContexts(path: string): Contexts {
  const text = readIfThere(path);
  if (text === undefined) return { contexts: {} };
  try {
    return checked(JSON.parse(text));
  } catch {
    throw new UsageError(`${path} is not a valid file of contexts: correct or delete it`);
  }
}

/** Replaces the file as a whole, so that an interrupted command leaves the earlier one. Only its user can read it. */
export function writeContexts(path: string, contexts: Contexts): void {
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new CliError(`cannot write ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Returns the context with this name. Throws an error that lists the stored ones. */
export function contextNamed({ contexts }: Contexts, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found) return found;
  const names = Object.keys(contexts).sort();
  const there = names.length > 0 ? `there are ${names.join(', ')}` : 'add one with "idsync context add"';
  throw new UsageError(`no context "${name}"; ${there}`);
}

function checked(value: unknown): Contexts {
  const { current, contexts } = value as Contexts;
  for (const { url } of Object.values(contexts)) if (typeof url !== 'string') throw new TypeError('no address');
  return { ...(typeof current === 'string' && { current }), contexts };
}

/** A sign-in to store, or to remove if it has no token. */
interface StoredSignIn {
  url: string;
  token: string | undefined;
  tenant?: string;
  /** By default the context with this address, the current one first. */
  name?: string;
}

/**
 * Stores a token in the context of its address, which becomes the current one, or removes it. Returns the name of the
 * context, or undefined if there was no token to remove.
 */
export function storeToken(env: Variables, { url, token, tenant, name }: StoredSignIn): string | undefined {
  const path = contextsPath(env);
  const stored = readContexts(path);
  const chosen = name ?? contextAt(stored, url);
  const there = chosen === undefined ? undefined : stored.contexts[chosen];
  // Credentials of another address are not taken over.
  const { token: earlier, ...rest } = there?.url === url ? there : { url, token: undefined };
  if (token === undefined) {
    if (chosen === undefined || earlier === undefined) return undefined;
    writeContexts(path, { ...stored, contexts: { ...stored.contexts, [chosen]: rest } });
    return chosen;
  }
  const added = checkedContextName(chosen ?? 'default');
  const context = { ...rest, ...(tenant && { tenant }), token };
  writeContexts(path, { current: added, contexts: { ...stored.contexts, [added]: context } });
  return added;
}

function contextAt({ current, contexts }: Contexts, url: string): string | undefined {
  const names = [...(current === undefined ? [] : [current]), ...Object.keys(contexts)];
  return names.find((name) => Object.hasOwn(contexts, name) && contexts[name]?.url === url);
}

/** Returns the name. Throws if a context may not have it. */
export function checkedContextName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw new UsageError(`the name of a context must be 1 to 64 letters, digits, ".", "_" or "-", got "${name}"`);
}
