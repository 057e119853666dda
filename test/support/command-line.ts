import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import type { Answer, Tenant } from './client.js';
import type { Services } from './services.js';

const program = fileURLToPath(new URL('../../apps/cli/bin/idsync.js', import.meta.url));

/** Settings of the command line: services, tenant, folder and more variables. */
interface Operator {
  services: Services;
  tenant: Tenant;
  cwd?: string;
  env?: Record<string, string>;
}

/** The built `idsync` CLI; `who` is called for each command, so that the settings may become known later. */
export function commandLine(who: () => Operator) {
  async function idsync(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const { services, tenant, cwd, env } = who();
    const child = spawn(process.execPath, [program, ...words], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        IDSYNC_URL: services.url,
        ADMIN_TOKEN: services.adminToken,
        IDSYNC_TENANT: tenant.id,
        IDSYNC_API_KEY: tenant.key,
        ...env,
      },
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode ?? -1, out, err };
  }

  /** Returns the --json output of a command that must succeed. */
  async function reply(...words: string[]): Promise<Answer['body']> {
    const { code, out, err } = await idsync(...words, '--json');
    expect({ words, code, err }).toEqual({ words, code: 0, err: '' });
    return JSON.parse(out);
  }

  return { idsync, reply };
}
