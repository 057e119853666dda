import { fileURLToPath } from 'node:url';
import { chromiumProgram, inChromium } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { OperatedGateway } from '../../test/operated-gateway.js';

const axe = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));
const suite = inChromium(describe, 'the API reference in a browser');

let gateway: OperatedGateway;
let browser: Browser;
let page: Page;
/** Reports of the browser: violations of the CSP, errors of scripts, failed requests. */
let reports: string[];

beforeAll(async () => {
  if (!chromiumProgram) return;
  gateway = await OperatedGateway.start();
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

async function open(options: BrowserContextOptions = {}, hash = ''): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.addInitScript({ path: axe });
  page = await context.newPage();
  page.on('console', (message) => reports.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => reports.push(error.message));
  page.on('requestfailed', (request) => reports.push(`failed: ${request.url()}`));
  await page.goto(`${gateway.url}/docs${hash}`);
}

/** One operation of each kind, an event and a schema. The others consist of the same parts. */
const excerpt = [
  'createWebhook',
  'listAccounts',
  'deleteWebhook',
  'adminReplaceLifecyclePolicy',
  'receiveUserCreatedEvent',
  'schema-User',
];

/** Checks the page with only the excerpt, because axe takes a minute for its twenty thousand elements. */
async function violations(): Promise<unknown[]> {
  const left = await page.evaluate(`(() => {
    const isLeft = ({ id }) => ${JSON.stringify(excerpt)}.includes(id);
    for (const each of document.querySelectorAll('article.op')) if (!isLeft(each)) each.remove();
    return document.querySelectorAll('article.op').length;
  })()`);
  expect(left).toBe(excerpt.length);
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html }) => html) })))',
  );
}

/** Waits until the beginning of an element is visible. */
const inView = (selector: string) =>
  page.waitForFunction(
    `(({ top }) => top >= 0 && top < innerHeight)(document.querySelector('${selector}').getBoundingClientRect())`,
  );

suite('the API reference in a browser', () => {
  it('loads under a policy that allows no inline style or script', async () => {
    const { headers } = await fetch(`${gateway.url}/docs`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    await open();
    expect(await page.title()).toBe('idsync API reference');
    expect(reports).toEqual([]);
  });

  it.each([
    { name: 'light', options: { colorScheme: 'light' } },
    { name: 'dark', options: { colorScheme: 'dark' } },
    { name: 'narrow', options: { viewport: { width: 360, height: 740 } } },
  ] as const)('has no accessibility violations in the $name view', async ({ options }) => {
    await open(options);
    expect(await violations()).toEqual([]);
  });

  it('finds an operation by words, without a request, and opens it with the keyboard', async () => {
    await open();
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    await page.keyboard.press('/');
    await page.keyboard.type('webhook rotate');
    expect(await page.locator('#found').textContent()).toBe('3 results');
    await page.keyboard.press('Enter');
    await inView('#rotateWebhookSecret');
    expect(new URL(page.url()).hash).toBe('#rotateWebhookSecret');
    expect(requests).toBe(0);
    expect(reports).toEqual([]);
  });

  it('reports that nothing was found, and shows everything again after Escape', async () => {
    await open();
    await page.fill('#search', 'no such operation');
    expect(await page.locator('#found').textContent()).toBe('0 results');
    await page.keyboard.press('Escape');
    expect(await page.locator('.topic:visible').count()).toBeGreaterThan(10);
  });

  it('opens an operation by its link, and marks it in the sidebar', async () => {
    await open({}, '#createWebhook');
    await inView('#createWebhook');
    await page.waitForSelector('a[aria-current][href="#createWebhook"]:visible');
  });

  it('shows samples in the chosen language, also after a reload', async () => {
    await open({}, '#triggerSync');
    const sample = (language: string) => page.locator(`#triggerSync pre[data-language="${language}"]`).first();
    expect(await sample('curl').isVisible()).toBe(true);
    await page.locator('#triggerSync .tab[data-language="TypeScript"]').click();
    expect([await sample('curl').isVisible(), await sample('TypeScript').isVisible()]).toEqual([false, true]);
    await page.reload();
    expect(await sample('TypeScript').isVisible()).toBe(true);
  });

  it('fits a screen of 360 pixels, where a menu opens the sidebar', async () => {
    await open({ viewport: { width: 360, height: 740 } });
    const widths = () => page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
    await page.evaluate("for (const details of document.querySelectorAll('main details')) details.open = true");
    expect(await widths()).toEqual([360, 360]);
    expect(await page.locator('#sidebar').isVisible()).toBe(false);
    await page.click('#menu');
    await page.fill('#search', 'list users');
    await page.locator('#sidebar li.hit a').first().click();
    await inView('#listUsers');
    expect(await page.locator('#sidebar').isVisible()).toBe(false);
    expect(await widths()).toEqual([360, 360]);
  });

  it('can be read without scripts', async () => {
    await open({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } }, '#listUsers');
    expect(await page.locator('#listUsers h3').isVisible()).toBe(true);
    expect(await page.locator('#sidebar').isVisible()).toBe(true);
  });
});
