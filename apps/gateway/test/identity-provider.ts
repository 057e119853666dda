import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from './browser.js';
import type { Body } from './operated-gateway.js';

export const oidcClient = { OIDC_CLIENT_ID: 'idsync', OIDC_CLIENT_SECRET: 'the-secret-of-the-client-idsync' };

/** oidc-provider as its own process, with the users of a test. */
export class IdentityProvider {
  private constructor(
    readonly issuer: string,
    private readonly child: ChildProcess,
  ) {}

  /** `asks`: it shows a form to sign in, instead of signing in the user that `control` names. */
  static async start(
    clientUrl: string,
    users: Record<string, object>,
    { port = 0, ...more }: { port?: number; host?: string; asks?: boolean } = {},
  ): Promise<IdentityProvider> {
    const script = fileURLToPath(new URL('./oidc-server.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, JSON.stringify({ clientUrl, users, port, ...more })], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new IdentityProvider((JSON.parse(line) as { issuer: string }).issuer, child);
  }

  /** Changes who signs in, the keys, or the claims of ID tokens, or signs any claims. */
  async control(name: 'user' | 'altered' | 'rotate' | 'sign', body: object = {}): Promise<Body> {
    const answer = await fetch(`${this.issuer}/test/${name}`, { method: 'POST', body: JSON.stringify(body) });
    return answer.json();
  }

  /** Signs in as a user, from the start to the redirect to the client, whose address is returned. */
  async authenticate(browser: Browser, address: string): Promise<URL> {
    for (let url = new URL(address); ; ) {
      const { status, headers } = await browser.send('GET', url);
      const location = headers.get('location');
      if (location === null) throw new Error(`the identity provider answered ${url.pathname} with ${status}`);
      url = new URL(location, url);
      if (url.origin !== this.issuer) return url;
    }
  }

  /** Sends a form of the identity provider, with the token that its page contains. */
  async submit(browser: Browser, page: string, path: string, fields: Record<string, string>): Promise<Body> {
    const { body } = await browser.send('GET', new URL(page));
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(String(body))?.[1] ?? '';
    const form = new URLSearchParams({ xsrf, ...fields }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return browser.send('POST', new URL(path, this.issuer), form, type);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
