import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** About seven letters. */
const leastColumnPx = 60;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Credentials {
  base_url: string;
  admin_token: string;
  tenant_id: string;
}

/** The whole of `npm start` with its demo, and a browser on its console. */
export class ConsoleUnderTest {
  /** By token. */
  private readonly sessions = new Map<string, Awaited<ReturnType<BrowserContext['cookies']>>>();

  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
    private readonly browser: Browser,
    readonly credentials: Credentials,
    readonly firstLine: string,
  ) {}

  static async start(executablePath: string, settings: Record<string, string> = {}): Promise<ConsoleUnderTest> {
    const dataDir = await mkdtemp(join(tmpdir(), 'idsync-console-'));
    const env = {
      PATH: process.env.PATH,
      HOME: dataDir,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...settings,
    };
    const child = spawn(process.execPath, ['bundle/standalone.js'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout) {
      output += String(chunk);
      if (output.includes('Stop it with')) break;
    }
    const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
    // The sandbox of Chromium needs privileges that a container does not have; the pages are our own.
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    return new ConsoleUnderTest(child, dataDir, browser, credentials, output.split('\n', 1)[0] ?? '');
  }

  /** Calls a path of the operator API with the token of the installation. */
  async operator<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.credentials.base_url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.credentials.admin_token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as Body;
  }

  /** Opens a browser without a session. */
  async visit(options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    // Thirty seconds, the default, are too short for a sign-in on a machine that runs ten times as much as it can.
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    return new Visit(page, this.credentials);
  }

  /**
   * Opens a browser with a session of the token, and no page yet. Signing in by the form, which happens once for each
   * token, takes as long as the rest of most tests.
   */
  async signedIn(options: BrowserContextOptions = {}, token = this.credentials.admin_token): Promise<Visit> {
    let session = this.sessions.get(token);
    if (!session) {
      const first = await this.visit();
      await first.signIn(token);
      session = await first.page.context().cookies();
      this.sessions.set(token, session);
      await first.close();
    }
    const visit = await this.visit(options);
    await visit.page.context().addCookies(session);
    return visit;
  }

  async close(): Promise<void> {
    await this.browser.close();
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** One browser window of an operator. */
export class Visit {
  /** Reports of the browser: violations of the policy, errors of scripts, failed requests. */
  readonly reports: string[] = [];

  constructor(
    readonly page: Page,
    private readonly credentials: Credentials,
  ) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.reports.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.reports.push(error.message));
  }

  readonly goto = async (path: string): Promise<void> => {
    await this.page.goto(`${this.credentials.base_url}/console${path}`);
  };

  /** Signs in by the form, as a person does. Looking for a session reports a 401, which is not an error. */
  async signIn(token = this.credentials.admin_token): Promise<void> {
    await this.goto('/sign-in');
    await this.page.getByLabel('Operator token').fill(token);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('heading', { name: 'Home' }).waitFor();
    this.reports.length = 0;
  }

  /** Opens a screen of the tenant, and waits until nothing is loading. */
  readonly open = async (path = ''): Promise<void> => {
    await this.goto(`/${this.credentials.tenant_id}${path}`);
    await this.settled();
  };

  /**
   * Opens another screen of the tenant as a link does, which takes half as long as loading the page again. TanStack Router
   * makes itself known to the page by this name.
   */
  readonly follow = async (path = ''): Promise<void> => {
    await this.page.evaluate(
      `new Promise((resolve) => {
         const router = window.__TSR_ROUTER__;
         const stop = router.subscribe('onRendered', () => { stop(); resolve(); });
         router.history.push(${JSON.stringify(`/console/${this.credentials.tenant_id}${path}`)});
       })`,
    );
    await this.settled();
  };

  readonly settled = async (): Promise<void> => {
    await this.page.locator('h1').first().waitFor();
    await this.page.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' });
  };

  /** Returns the violations that axe finds in the whole page. */
  async violations(): Promise<unknown[]> {
    // A dialog that fades in has less contrast meanwhile. Spinners never end.
    await this.page.evaluate(
      `Promise.all(document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
         .map((each) => each.finished.catch(() => undefined))).then(() => undefined)`,
    );
    if (await this.page.evaluate('!window.axe')) await this.page.evaluate(axe);
    return this.page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html }) => html) })))',
    );
  }

  /** Width of the page, and of the window that shows it. */
  widths(): Promise<[number, number]> {
    return this.page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  }

  /** Returns the first column of each table that is too narrow to show what its rows are about. */
  squashed(): Promise<string[]> {
    return this.page.evaluate(
      `[...document.querySelectorAll('[role="table"]')].flatMap((table) => {
        const width = Math.round(table.querySelector('[role="columnheader"]').getBoundingClientRect().width);
        return width < ${leastColumnPx} ? [table.getAttribute('aria-label') + ': ' + width + ' px'] : [];
      })`,
    );
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
