import type { ClientOptions, IdsyncClient } from '@idsync/client';
import type { Installation, OneTenant } from '@idsync/client/operator';
import type { Command } from 'commander';
import { AdminClient } from './admin-client.js';
import { UsageError } from './cli-error.js';
import { readBody } from './input.js';
import { type CliContext, Printer } from './printer.js';
import { readSettings, requireKey, requireToken, type SettingFlags, type Settings } from './settings.js';
import { idOfName } from './what-is-there.js';

/** Settings, clients and output of one command. */
export class Session extends Printer {
  readonly settings: Settings;
  private tenantId: string | undefined;

  private constructor(command: Command, io: CliContext) {
    super(command, io);
    this.settings = readSettings(command.optsWithGlobals<SettingFlags>(), io.env, io.cwd);
    this.tenantId = this.settings.tenant;
  }

  /** Reads the settings. A tenant that is given by its name is looked up. */
  static async of(command: Command, io: CliContext): Promise<Session> {
    const session = new Session(command, io);
    const { tenant, token } = session.settings;
    if (tenant !== undefined && token !== undefined && !/^ten_\w+$/.test(tenant)) {
      session.tenantId = idOfName('tenant', tenant, await session.installation.all('GET /tenants', {}));
    }
    return session;
  }

  /** Client of `/admin/v1`. */
  get installation(): AdminClient<Installation> {
    return new AdminClient(this.settings.url, requireToken(this.settings));
  }

  /** Client of what `/admin/v1` has below the tenant. */
  get client(): AdminClient<OneTenant> {
    return new AdminClient(this.settings.url, requireToken(this.settings), this.tenant);
  }

  /** Client of `/v1`, for what a tenant's API key reads. Loaded only here, because most commands do not need it. */
  async tenantClient(options: Pick<ClientOptions, 'fetch' | 'retries'> = {}): Promise<IdsyncClient> {
    const apiKey = requireKey(this.settings);
    const { IdsyncClient } = await import('@idsync/client');
    return new IdsyncClient({ baseUrl: this.settings.url, apiKey, ...options });
  }

  get tenant(): string {
    if (this.tenantId) return this.tenantId;
    throw new UsageError('no tenant selected: pass --tenant or set IDSYNC_TENANT; "idsync tenants list" shows the ids');
  }

  /** Reads a JSON object from a file; `-` is standard input. The service checks it. */
  readBody<Body>(file: string): Body {
    return readBody(file, this.io.cwd) as Body;
  }

  exit(code: number): void {
    this.io.exit?.(code);
  }
}
