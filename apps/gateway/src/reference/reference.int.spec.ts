import { createRequire } from 'node:module';
import { chromiumProgram, inChromium } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { OperatedGateway } from '../../test/operated-gateway.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const suite = inChromium(describe, 'the API reference in a browser');

let gateway: OperatedGateway;
let browser: Browser;
let page: Page;
/** Reports of the browser: violations of the CSP, errors of scripts, failed requests, and requests to other hosts. */
let reports: string[];
let key: string;

beforeAll(async () => {
  if (!chromiumProgram) return;
  gateway = await OperatedGateway.start();
  const { id } = (await gateway.operator('POST', '/tenants', { name: 'Acme' })).body;
  key = (await gateway.operator('POST', `/tenants/${id}/api-keys`, { name: 'reader' })).body.key;
  // The sandbox of Chromium needs privileges that a container does not have; the page is our own.
  browser = await chromium.launch({
    executablePath: chromiumProgram,
    args: ['--no-sandbox'],
  });
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

beforeEach(() => {
  reports = [];
});

afterEach(async () => {
  await page?.context().close();
});

async function open(options: BrowserContextOptions = {}, path = ''): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.addInitScript({ path: axe });
  page = await context.newPage();
  page.on('console', (message) => {
    // Scalar writes its version, durations and remarks on the document.
    if (message.type() === 'error') reports.push(message.text());
  });
  page.on('pageerror', (error) => reports.push(error.message));
  page.on('requestfailed', (request) => reports.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(gateway.url) && !request.url().startsWith('data:')) reports.push(request.url());
  });
  await page.goto(`${gateway.url}/docs#${path}`);
  // The last section that the viewer shows.
  await section('models').waitFor();
}

const trigger = 'tag/sync/POST/v1/sync/trigger';
const section = (path: string) => page.locator(`section[id$="/${path}"]`);

/** Rules of axe that parts of the viewer break, whatever its settings. */
const brokenByViewer = [
  ...['aria-allowed-attr', 'aria-allowed-role', 'aria-required-children', 'button-name', 'label-content-name-mismatch'],
  ...['landmark-unique', 'scrollable-region-focusable'],
];

suite('the API reference in a browser', () => {
  it('loads under a policy that allows no inline script, and asks no other host for anything', async () => {
    const { headers } = await fetch(`${gateway.url}/docs`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    await open();
    expect(await page.title()).toBe('idsync API reference');
    await page.getByRole('heading', { name: 'Errors' }).waitFor();
    expect(reports).toEqual([]);
  });

  it.each([
    { name: 'light', options: { colorScheme: 'light' } },
    { name: 'dark', options: { colorScheme: 'dark' } },
    { name: 'narrow', options: { viewport: { width: 360, height: 740 } } },
  ] as const)(
    'has enough contrast, and no other accessibility violations than its viewer, in the $name view',
    async ({ options }) => {
      await open(options, trigger);
      await section(trigger).waitFor();
      const violations = await page.evaluate(
        'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html }) => html) })))',
      );
      expect((violations as { id: string }[]).filter(({ id }) => !brokenByViewer.includes(id))).toEqual([]);
    },
  );

  it('shows the scope or the role that an operation needs', async () => {
    await open({}, trigger);
    await section(trigger).getByText('Needs an API key with the scope sync:write.').waitFor();
    await page.context().close();
    const system = 'tag/operator-system/GET/admin/v1/system';
    await open({}, system);
    await section(system).getByText('Needs the role viewer, for all tenants.').waitFor();
  });

  it('shows each request in curl and in TypeScript', async () => {
    await open({}, trigger);
    const shown = section(trigger);
    await shown.getByText("--header 'X-API-Key: ").waitFor();
    await shown.getByText('Shell Curl').click();
    await page.getByRole('option', { name: 'TypeScript' }).click();
    await shown.getByText('idsync.sync.trigger').waitFor();
  });

  it('sends a request with the key that the reader enters, to this gateway only', async () => {
    const list = 'tag/users/GET/v1/users';
    await open({}, list);
    await section(list).getByRole('button', { name: 'Test Request' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value').and(page.locator('input')).fill(key);
    const answer = page.waitForResponse(`${gateway.url}/v1/users**`);
    await dialog.getByRole('button', { name: 'Send' }).first().click();
    expect((await answer).status()).toBe(200);
    expect(reports).toEqual([]);
  });

  it('finds an operation by words, without a request, and opens it with the keyboard', async () => {
    await open();
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('webhook rotate');
    await page.getByRole('option', { name: 'Rotate the signing secret' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/rotate-secret$/);
    expect(requests).toBe(0);
    expect(reports).toEqual([]);
  });

  it('fits a screen of 360 pixels, where a menu opens the sidebar', async () => {
    await open({ viewport: { width: 360, height: 740 } }, trigger);
    await section(trigger).waitFor();
    expect(await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')).toEqual([360, 360]);
    await page.getByRole('button', { name: 'Open Menu' }).click();
    await page.getByRole('navigation').getByText('Webhooks').first().waitFor();
  });

  it('names openapi.json without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    page = await context.newPage();
    await page.goto(`${gateway.url}/docs`);
    expect(await page.getByRole('link', { name: 'openapi.json' }).getAttribute('href')).toBe('/openapi.json');
  });
});
