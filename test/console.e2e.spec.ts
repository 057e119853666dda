import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromiumProgram, inChromium, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { accountTests } from './console/accounts.js';
import type { ConsoleContext } from './console/context.js';
import { eventsTests } from './console/events.js';
import { findTests } from './console/find.js';
import { jsonTests } from './console/json.js';
import { peopleTests } from './console/people.js';
import { webhookTests } from './console/webhooks.js';
import { workTests } from './console/work.js';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

const suite = inChromium(describe, 'the console in a browser');

/** `CONSOLE_PICTURES=true` writes the pictures of docs/console.md. */
const pictures = process.env.CONSOLE_PICTURES === 'true' ? 'docs/images/console' : undefined;
const largestScriptsKib = 200;
const desktop = { width: 1280, height: 720 };
const phone = { width: 360, height: 740 };
/** A window of 1280 by 800 pixels at a zoom of 200 %. */
const zoomed = { width: 640, height: 400 };

let idsync: ConsoleUnderTest;
let tenant: string;
let visit: Visit;
/** Paths of the screens below the tenant, by the name of their picture. */
let screens: Record<string, string>;
let heldJob: string;

interface List<Item> {
  data: Item[];
}

async function personNamed(text: string): Promise<string> {
  const path = `/tenants/${tenant}/identities?q=${encodeURIComponent(text)}`;
  const { data } = await idsync.operator<List<{ id: string }>>('GET', path);
  return data[0]?.id ?? `nobody is named ${text}`;
}

async function tokenFor(name: string, role: string): Promise<string> {
  const { token } = await idsync.operator<{ token: string }>('POST', '/service-tokens', { name, role });
  return token;
}

beforeAll(async () => {
  if (!chromiumProgram) return;
  idsync = await ConsoleUnderTest.start(chromiumProgram);
  tenant = idsync.credentials.tenant_id;
  const held = await idsync.operator<List<{ job_id: string }>>(
    'GET',
    `/tenants/${tenant}/sync-jobs?status=quarantined`,
  );
  heldJob = held.data[0]?.job_id ?? '';
  const linh = await personNamed('linh');
  const firstOf = async (path: string) =>
    (await idsync.operator<List<{ id: string }>>('GET', `/tenants/${tenant}${path}`)).data[0]?.id;
  const [source, webhook, event, machine, account] = await Promise.all([
    firstOf('/connectors'),
    firstOf('/webhooks'),
    firstOf('/events?types=identity.*&limit=1'),
    firstOf('/machine-identities?limit=1'),
    firstOf('/accounts?q=viktor&limit=1'),
  ]);
  screens = {
    home: '',
    people: '/people',
    identity: `/people/${linh}`,
    records: `/people/${linh}?view=records`,
    history: `/people/${linh}?view=history`,
    plan: `/runs/${heldJob}/plan`,
    cases: '/cases',
    'person-events': `/people/${linh}?view=events`,
    accounts: '/accounts',
    account: `/accounts/${account}`,
    machines: '/machines',
    machine: `/machines/${machine}`,
    findings: '/findings',
    sources: '/sources',
    source: `/sources/${source}`,
    runs: '/runs',
    run: `/runs/${heldJob}`,
    rules: '/rules',
    events: '/events',
    event: `/events/${event}`,
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook}`,
    'webhook-new': '/webhooks/new',
    access: '/access',
    settings: '/settings?view=people',
    audit: '/audit',
    'source-setup': '/source-setup',
    system: '/system',
  };
});

afterAll(() => idsync?.close());

afterEach(async () => {
  await visit?.close();
});

const opened = async (options?: BrowserContextOptions, token?: string) => {
  visit = await idsync.signedIn(options, token);
  return visit;
};

const context: ConsoleContext = {
  get idsync() {
    return idsync;
  },
  get tenant() {
    return tenant;
  },
  opened,
  personNamed,
};

suite('the console in a browser', () => {
  it('has its address in the first line of npm start', () => {
    expect(idsync.firstLine).toBe(`The console is at ${idsync.credentials.base_url}/console/`);
  });

  it('loads at most 200 KiB of scripts, compressed, until a screen is shown', async () => {
    visit = await idsync.visit();
    await visit.signIn();
    const loaded = await visit.page.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))",
    );
    const folder = 'apps/console/dist/static/assets';
    const sizes = await Promise.all(
      (await readdir(folder))
        .filter((file) => loaded.some((name) => name.endsWith(`/${file}`)))
        .map(async (file) => gzipSync(await readFile(join(folder, file))).length),
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0) / 1024).toBeLessThanOrEqual(largestScriptsKib);
  });

  it('refuses a wrong token with a message', async () => {
    visit = await idsync.visit();
    await visit.goto('/sign-in');
    await visit.page.getByLabel('Operator token').fill('wrong');
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByText('This token is not valid').waitFor();
  });

  it.each([
    { view: '1280 pixels, light', size: desktop, options: { colorScheme: 'light' } },
    { view: '1280 pixels, dark', size: desktop, options: { colorScheme: 'dark', reducedMotion: 'reduce' } },
    { view: '360 pixels', size: phone, options: {} },
    { view: 'a zoom of 200 %', size: zoomed, options: {} },
  ] as const)(
    'has no accessibility violation and no report on any screen, and fits, at $view',
    async ({ size, options }: { size: typeof desktop; options: BrowserContextOptions }) => {
      await opened({ ...options, viewport: size });
      await visit.open();
      for (const [name, path] of Object.entries(screens)) {
        await visit.follow(path);
        const found = {
          name,
          widths: await visit.widths(),
          squashed: await visit.squashed(),
          violations: await visit.violations(),
        };
        expect(found).toEqual({ name, widths: [size.width, size.width], squashed: [], violations: [] });
        if (pictures && size === desktop) {
          await mkdir(pictures, { recursive: true });
          await visit.page.screenshot({ path: join(pictures, `${name}-${options.colorScheme}.png`) });
        }
      }
      expect(visit.reports).toEqual([]);
    },
  );

  it('filters every list by each kind of choice', async () => {
    await opened();
    const asked: string[] = [];
    for (const path of ['/people', '/accounts', '/machines', '/findings', '/runs', '/events']) {
      await visit.open(path);
      for (const select of await visit.page.locator('main select').all()) {
        const before = await select.inputValue();
        const options = await select.locator('option').all();
        const values = await Promise.all(options.map((option) => option.getAttribute('value')));
        const value = values.findLast((each) => each && each !== before);
        if (!value) continue;
        // A period becomes a time.
        const given = /^\d+[hd]$/.test(value) ? 'since=' : `=${value}`;
        const filtered = visit.page.waitForResponse((response) => new URL(response.url()).search.includes(given));
        await select.selectOption(value);
        const answer = await filtered;
        asked.push(`${answer.status()} ${path} ${new URL(answer.url()).search}`);
        await select.selectOption(before);
      }
    }
    expect(asked.filter((each) => !each.startsWith('200'))).toEqual([]);
    expect(asked.length).toBeGreaterThan(10);
    expect(visit.reports).toEqual([]);
  });

  it('finds a person by keyboard, and says why she has her title', async () => {
    await opened();
    await visit.open();
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('linh');
    await page.getByRole('option', { name: /Linh/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Why? job_title' }).click();
    await page.getByText('Test Automation Consultant').waitFor();
    await page.getByText('HR decides: priority 10 precedes', { exact: false }).waitFor();
    await page.getByText('the employment of another source decides').waitFor();
    await page.getByRole('link', { name: 'Source precedence' }).click();
    await page.waitForURL('**/rules?view=precedence');
    expect(visit.reports).toEqual([]);
  });

  it('shows a person as it was, and what has changed until now', async () => {
    await opened();
    await visit.open(screens.identity);
    const { page } = visit;
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Changed until now' }).getByText('records').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^20\d\d-/);
  });

  peopleTests(context);
  eventsTests(context);
  findTests(context);
  workTests(context);
  webhookTests(context);
  accountTests(context);
  jsonTests(context);

  it('decides a case by keyboard, and undoes the decision', async () => {
    await opened();
    await visit.open('/cases');
    const { page } = visit;
    const total = page.getByText(/^\d+ open$/);
    const before = await total.textContent();
    await page.getByRole('region', { name: 'Record and candidates' }).waitFor();
    await page.keyboard.press('1');
    await page.getByText('Linked. Press u to undo.').waitFor();
    await page.keyboard.press('u');
    await page.getByText('Undone. The case is open again.').waitFor();
    await page.getByText(String(before), { exact: true }).waitFor();
    expect(visit.reports).toEqual([]);
  });

  it('keeps two people apart, and undoes the decision later, from the decided cases', async () => {
    await opened();
    await visit.open('/cases');
    const { page } = visit;
    await page.getByText('Zoë Müller may be the same person as Zoë Müller').first().waitFor();
    await page.getByRole('button', { name: 'Keep apart' }).click();
    await page.getByText('Kept apart. Press u to undo.').waitFor();
    // A reload forgets the last decision, but the case keeps it.
    await visit.open('/cases?status=new');
    await page.getByRole('button', { name: 'Undo the decision' }).click();
    await page.getByText('Undone. The case is open again.').waitFor();
    await visit.open('/cases');
    await page.getByRole('button', { name: 'Keep apart' }).waitFor();
    expect(visit.reports).toEqual([]);
  });

  it('shows a case on a phone with both columns and without hints of keys', async () => {
    await opened({ viewport: phone, hasTouch: true, isMobile: true });
    await visit.open('/cases');
    const { page } = visit;
    const region = page.getByRole('region', { name: 'Record and candidates' });
    await region.waitFor();
    const [needed, given] = await region.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    expect(needed).toBe(given);
    expect(await page.locator('main kbd:visible').count()).toBe(0);
    expect(await visit.violations()).toEqual([]);
  });

  it('asks to sign in again when the session has ended, without losing input', async () => {
    await opened();
    await visit.open(screens.plan);
    const { page } = visit;
    await page.getByRole('button', { name: 'Release…' }).click();
    await page.getByLabel('Reason').fill('the agency has changed');
    await page.context().clearCookies();
    // The screen may have noticed by itself that the session has ended, and then covers the button.
    await page.getByRole('button', { name: 'Release', exact: true, includeHidden: true }).dispatchEvent('click');
    await page.getByLabel('Operator token').fill(idsync.credentials.admin_token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('the agency has changed');
  });

  it('keeps a screen when reading it again fails', async () => {
    await opened();
    await visit.open(screens.identity);
    const { page } = visit;
    const title = await page.locator('h1').textContent();
    const refusal = { status: 403, contentType: 'application/json', body: '{"error":"refused"}' };
    await page.route('**/identities/**', (route) => route.fulfill(refusal));
    let refused = 0;
    page.on('response', (response) => {
      if (response.status() === 403 && /\/identities\/idn_\w+$/.test(response.url())) refused += 1;
    });
    // A new stream begins with a read of everything.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await until(() => refused > 0);
    // A window that gets the focus reads a second time, but only after it has handled the failure of the first one.
    await until(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return refused > 1;
    });
    expect(await page.locator('h1').textContent()).toBe(title);
    expect(await page.getByText('Your role does not allow this').count()).toBe(0);
  });

  it('shows a viewer no decision', async () => {
    await opened({}, await tokenFor('vera', 'viewer'));
    await visit.open(screens.plan);
    expect(await visit.page.getByRole('button', { name: 'Release…' }).count()).toBe(0);
    await visit.open(screens.cases);
    expect(await visit.page.getByRole('button', { name: /Keep apart|New person/ }).count()).toBe(0);
  });

  it('releases a held run that a second operator approves', async () => {
    await idsync.operator('PUT', `/tenants/${tenant}/operator-policy`, { four_eyes: true });
    await opened({}, await tokenFor('eva', 'operator'));
    await visit.open(screens.plan);
    await visit.page.getByRole('button', { name: 'Release…' }).click();
    await visit.page.getByLabel('Reason').fill('the agency has changed');
    await visit.page.getByRole('button', { name: 'Release', exact: true }).click();
    await visit.page.getByText('Requested. A second operator must approve it.').waitFor();
    await visit.close();

    await opened({}, await tokenFor('noah', 'operator'));
    await visit.open(screens.plan);
    await visit.page.getByText('eva requested it').waitFor();
    await visit.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await visit.page.getByRole('button', { name: 'Approve and perform' }).click();
    await until(async () => {
      const job = await idsync.operator<{ status: string }>('GET', `/tenants/${tenant}/sync-jobs/${heldJob}`);
      return job.status === 'completed';
    }, 'the released run is completed');
    expect(visit.reports).toEqual([]);
  });
});
