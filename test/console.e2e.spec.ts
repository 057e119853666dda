import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import type { ConsoleContext } from './console/context.js';
import { eventsTests } from './console/events.js';
import { peopleTests } from './console/people.js';
import { workTests } from './console/work.js';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

jest.setTimeout(300_000);

const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const haveChromium = existsSync(chromiumPath);
if (!haveChromium) process.stdout.write(`Skipped: the console in a browser: ${chromiumPath} is not installed\n`);
const suite = haveChromium ? describe : describe.skip;

/** `CONSOLE_PICTURES=true` writes the pictures of docs/console.md. */
const pictures = process.env.CONSOLE_PICTURES === 'true' ? 'docs/images/console' : undefined;
const largestScriptsKib = 200;

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
  if (!haveChromium) return;
  idsync = await ConsoleUnderTest.start(chromiumPath);
  tenant = idsync.credentials.tenant_id;
  const held = await idsync.operator<List<{ job_id: string }>>(
    'GET',
    `/tenants/${tenant}/sync-jobs?status=quarantined`,
  );
  heldJob = held.data[0]?.job_id ?? '';
  const linh = await personNamed('linh');
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
    machines: '/machines',
    findings: '/findings',
    sources: '/sources',
    runs: '/runs',
    run: `/runs/${heldJob}`,
    events: '/events',
    webhooks: '/webhooks',
    audit: '/audit',
  };
});

afterAll(() => idsync?.close());

afterEach(async () => {
  await visit?.close();
});

const opened = async (options?: BrowserContextOptions, token?: string) => {
  visit = await idsync.visit(options);
  await visit.signIn(token);
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
    await opened();
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
    { theme: 'light', options: { colorScheme: 'light', viewport: { width: 1280, height: 720 } } },
    {
      theme: 'dark',
      options: { colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 1280, height: 720 } },
    },
  ] as const)('has no accessibility violation and no report on any screen in the $theme theme', async (each) => {
    await opened(each.options);
    for (const [name, path] of Object.entries(screens)) {
      await visit.open(path);
      expect([name, await visit.violations()]).toEqual([name, []]);
      if (pictures) {
        await mkdir(pictures, { recursive: true });
        await visit.page.screenshot({ path: join(pictures, `${name}-${each.theme}.png`) });
      }
    }
    expect(visit.reports).toEqual([]);
  });

  it.each([
    { view: '360 pixels', options: { viewport: { width: 360, height: 740 } } },
    { view: 'a zoom of 200 %', options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
  ])('fits every screen at $view', async ({ options }) => {
    await opened(options);
    for (const [name, path] of Object.entries(screens)) {
      await visit.open(path);
      const { width } = options.viewport;
      expect([name, await visit.widths()]).toEqual([name, [width, width]]);
      expect([name, await visit.violations()]).toEqual([name, []]);
    }
  });

  it('finds a person by keyboard, and says why she has her title', async () => {
    await opened();
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('linh');
    await page.getByRole('option', { name: /Linh/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Why? job_title' }).click();
    await page.getByText('Test Automation Consultant').waitFor();
    await page.getByText('HR decides: priority 10 precedes', { exact: false }).waitFor();
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
  workTests(context);

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
    await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(before)})`);
    expect(visit.reports).toEqual([]);
  });

  it('asks to sign in again when the session has ended, without losing input', async () => {
    await opened();
    await visit.open(screens.plan);
    const { page } = visit;
    await page.getByRole('button', { name: 'Release…' }).click();
    await page.getByLabel('Reason').fill('the agency has changed');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByLabel('Operator token').fill(idsync.credentials.admin_token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('the agency has changed');
  });

  it('shows a viewer no decision', async () => {
    await opened({}, await tokenFor('vera', 'viewer'));
    await visit.open(screens.plan);
    expect(await visit.page.getByRole('button', { name: 'Release…' }).count()).toBe(0);
    await visit.open(screens.cases);
    expect(await visit.page.getByRole('button', { name: /New person/ }).count()).toBe(0);
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
    for (let status = ''; status !== 'completed'; )
      ({ status } = await idsync.operator<{ status: string }>('GET', `/tenants/${tenant}/sync-jobs/${heldJob}`));
    expect(visit.reports).toEqual([]);
  });
});
