import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromiumProgram, inChromium } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

const suite = inChromium(describe, 'the portal in a browser');

/** `CONSOLE_PICTURES=true` writes the pictures of docs/webhooks.md. */
const pictures = process.env.CONSOLE_PICTURES === 'true' ? 'docs/images/console' : undefined;

let idsync: ConsoleUnderTest;
let receiver: Server;
let product: Server;
/** Page of the product around the portal. */
let productUrl: string;
let framed = '';
let status = 500;
let key: string;
let webhookId: string;
let visit: Visit;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function client<Body>(method: string, path: string, body: object): Promise<Body> {
  const response = await fetch(`${idsync.credentials.base_url}/v1${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

const linkOf = async (body: object = {}): Promise<string> =>
  (await client<{ url: string }>('POST', '/portal-links', { webhook_ids: [webhookId], ...body })).url;

beforeAll(async () => {
  if (!chromiumProgram) return;
  receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end(status === 500 ? 'out of disk' : 'thank you'));
  });
  product = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Product</title><iframe src="${framed}" width="900" height="700"></iframe>`);
  });
  // Also reached as localhost, which is another origin.
  productUrl = await listen(product);
  idsync = await ConsoleUnderTest.start(chromiumProgram, {
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    PORTAL_FRAME_ANCESTORS: productUrl,
  });
  const tenant = `/tenants/${idsync.credentials.tenant_id}`;
  ({ key } = await idsync.operator<{ key: string }>('POST', `${tenant}/api-keys`, { name: 'product' }));
  const callbackUrl = `${await listen(receiver)}/idsync`;
  ({ id: webhookId } = await client<{ id: string }>('POST', '/webhooks', {
    callback_url: callbackUrl,
    events: ['finding.opened'],
  }));
  await client('POST', `/webhooks/${webhookId}/test`, { message: 'from a test' });
});

afterAll(async () => {
  await idsync?.close();
  for (const server of [receiver, product]) {
    server?.closeAllConnections();
    server?.close();
  }
});

afterEach(() => visit?.close());

/** Opens a link in a browser that has no session. */
async function opened(url: string, options?: BrowserContextOptions): Promise<Visit> {
  visit = await idsync.visit(options);
  await visit.page.goto(url);
  await visit.settled();
  return visit;
}

suite('the subscriber portal in a browser', () => {
  it('takes the key out of the address, and keeps it over a reload', async () => {
    const { page, settled, reports } = await opened(await linkOf());
    expect(new URL(page.url())).toMatchObject({ pathname: '/portal/', hash: '' });
    await page.reload();
    await settled();
    await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('shows why a delivery failed, sends it again, and then shows that it was delivered', async () => {
    const { page, reports } = await opened(await linkOf());
    await page.getByRole('link', { name: 'webhook.test' }).first().click();
    await page.getByText('HTTP 500').first().waitFor();
    await page.getByRole('region', { name: 'Response body' }).getByText('out of disk').first().waitFor();
    await page.getByRole('region', { name: 'Body' }).getByText('from a test').waitFor();
    status = 200;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('HTTP 200').first().waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'Response body' }).getByText('thank you').first().waitFor();
    await page.getByRole('link', { name: 'Back to the webhook' }).click();
    await page.getByText('Healthy').waitFor({ timeout: 30_000 });
    expect(reports).toEqual([]);
  });

  it('shows no action to a link that may only read', async () => {
    const { page } = await opened(await linkOf({ access: 'read', bodies: false }));
    await page.getByRole('link', { name: 'webhook.test' }).first().click();
    await page.getByText('This link does not show the bodies of events.', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: /again|test event|Rotate|Change/ }).count()).toBe(0);
  });

  it('lists the webhooks of a link with their health, and opens one', async () => {
    const other = await client<{ id: string }>('POST', '/webhooks', {
      callback_url: 'https://other.example/idsync',
      events: ['finding.resolved'],
    });
    const { page, settled, reports } = await opened(await linkOf({ webhook_ids: [webhookId, other.id] }));
    const table = page.getByRole('table', { name: 'Webhooks' });
    await table.getByRole('row', { name: /other\.example.*finding\.resolved.*Healthy/ }).waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Endpoint',
      'Events',
      'Health',
      'Dead',
      'Last success',
    ]);
    expect(await visit.violations()).toEqual([]);
    await page.getByRole('link', { name: 'other.example' }).click();
    await settled();
    await page.getByRole('heading', { name: 'other.example' }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).waitFor();
    expect(reports).toEqual([]);
  });

  it('sends a test event, or shows as an error why it is refused', async () => {
    const { page } = await opened(await linkOf());
    const notices = page.getByRole('status');
    await page.getByRole('button', { name: 'Send test event' }).click();
    await notices.getByText('A test event is on its way.').waitFor();
    await page.route('**/test', (route) => route.fulfill({ status: 409, json: { error: 'the webhook was deleted' } }));
    await page.getByRole('button', { name: 'Send test event' }).click();
    await notices.locator('[class*="bad"]').getByText('the webhook was deleted').waitFor();
  });

  it('rotates the secret and changes the events if the link may change the webhook', async () => {
    const { page, reports } = await opened(await linkOf({ access: 'change' }));
    await page.getByRole('button', { name: 'Rotate secret…' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Change settings…' }).click();
    await page.getByLabel('finding.resolved', { exact: true }).check();
    expect(await visit.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Endpoint' }).getByText('finding.opened, finding.resolved').waitFor();
    expect(reports).toEqual([]);
  });

  it.each([
    { theme: 'light', options: { colorScheme: 'light' } },
    { theme: 'dark', options: { colorScheme: 'dark', reducedMotion: 'reduce' } },
    { theme: 'narrow', options: { viewport: { width: 360, height: 740 } } },
  ] as const)('has no accessibility violation and fits the window: $theme', async ({ theme, options }) => {
    const { page, settled, reports } = await opened(await linkOf({ access: 'change' }), options);
    const width = page.viewportSize()?.width;
    for (const place of ['webhook', 'delivery']) {
      if (place === 'delivery') await page.getByRole('link', { name: 'webhook.test' }).first().click();
      await settled();
      expect([place, await visit.violations()]).toEqual([place, []]);
      expect([place, await visit.widths()]).toEqual([place, [width, width]]);
      expect([place, await visit.squashed()]).toEqual([place, []]);
    }
    if (pictures && theme !== 'narrow') {
      await mkdir(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `portal-${theme}.png`) });
    }
    expect(reports).toEqual([]);
  });

  it('takes the theme from its address, whatever the browser prefers', async () => {
    const url = await linkOf();
    const { page } = await opened(url.replace('/portal/', '/portal/?theme=dark'), { colorScheme: 'light' });
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  });

  it('works inside of a listed page, and not inside of another', async () => {
    framed = await linkOf();
    visit = await idsync.visit();
    await visit.page.goto(productUrl);
    await visit.page.frameLocator('iframe').getByRole('table', { name: 'Deliveries' }).waitFor();
    expect(visit.reports).toEqual([]);
    const refused = visit.page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await visit.page.goto(productUrl.replace('127.0.0.1', 'localhost'));
    await refused;
  });

  it('says that the link has expired when it is revoked, or when there is none', async () => {
    const { page } = await opened(await linkOf());
    await idsync.operator('DELETE', `/tenants/${idsync.credentials.tenant_id}/webhooks/${webhookId}/portal-links`);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await visit.violations()).toEqual([]);
    await visit.close();
    await opened(`${idsync.credentials.base_url}/portal/${webhookId}`);
    await visit.page.getByRole('heading', { name: 'This link has expired' }).waitFor();
  });
});
