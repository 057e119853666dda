import { chromiumProgram, inChromium, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

const suite = inChromium(describe, 'sources in the console');

interface List<Item> {
  data: Item[];
}

let idsync: ConsoleUnderTest;
let tenant: string;
let visit: Visit;

beforeAll(async () => {
  if (!chromiumProgram) return;
  idsync = await ConsoleUnderTest.start(chromiumProgram);
  tenant = idsync.credentials.tenant_id;
});

afterAll(() => idsync?.close());

afterEach(async () => {
  await visit?.close();
});

const opened = async (options?: BrowserContextOptions, token?: string) => {
  visit = await idsync.signedIn(options, token);
  return visit.page;
};

async function sourceNamed(name: string): Promise<{ id: string; last_run?: { job_id: string } }> {
  const { data } = await idsync.operator<List<{ id: string; name: string }>>('GET', `/tenants/${tenant}/connectors`);
  const source = data.find((each) => each.name === name);
  if (!source) throw new Error(`no source is named ${name}`);
  return source;
}

suite('sources in the console', () => {
  it('sets a source up from nothing to people', async () => {
    const page = await opened();
    await visit.open('/sources');
    await page.getByRole('link', { name: 'New source' }).click();
    await page.getByRole('button', { name: /CSV file/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Branch office');
    await page.getByLabel('Path (optional)').fill('missing.csv');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('"missing.csv" does not exist in the sources folder').waitFor();

    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByLabel('Path (optional)').fill('contractors-new-agency.csv');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(/^Connected, \d+ fields found$/).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Suggest a mapping' }).click();
    await page.getByRole('button', { name: 'Check with real records' }).click();
    await page.getByRole('region', { name: 'First records, as mapped' }).waitFor();
    await page.getByRole('heading', { name: 'What a run will not see' }).waitFor();
    expect(await visit.violations()).toEqual([]);

    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Start the dry run' }).click();
    await page.getByText('Would be added').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Read the source').selectOption({ label: 'Every 6 hours' });
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    const { id } = await sourceNamed('Branch office');
    const source = await idsync.operator('GET', `/tenants/${tenant}/connectors/${id}`);
    expect(source).toMatchObject({ schedule: { every: '6h' }, health: 'ok', config: { external_id: 'id' } });
    const people = await idsync.operator<List<object>>('GET', `/tenants/${tenant}/users?source_id=${id}`);
    expect(people.data.length).toBeGreaterThan(0);
    expect(visit.reports).toEqual([]);
  });

  it('keeps what was entered, except secrets, over a reload and the back button', async () => {
    const page = await opened();
    await visit.open('/source-setup');
    await page.getByRole('button', { name: /^LDAP/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('بشرى أكاديمي');
    await page.getByLabel('Base DN', { exact: true }).fill('dc=example');
    await page.getByLabel('Bind password').fill('not to be kept');
    await page.goBack();
    await page.getByRole('heading', { name: 'Type' }).waitFor();
    await page.goForward();
    expect(await page.getByLabel('Bind password').inputValue()).toBe('not to be kept');
    const stored = await page.evaluate<string>('JSON.stringify([sessionStorage, localStorage])');
    expect(stored).toContain('dc=example');
    expect(stored).not.toContain('not to be kept');
    await page.reload();
    await visit.settled();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('بشرى أكاديمي');
    expect(await page.getByLabel('Base DN', { exact: true }).inputValue()).toBe('dc=example');
    expect(await page.getByLabel('Bind password').inputValue()).toBe('');
  });

  it('keeps the input when the session ends, and stores it after a new sign-in', async () => {
    const page = await opened();
    await visit.open('/source-setup');
    await page.getByRole('button', { name: /CSV file/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('After the session');
    await page.getByLabel('Path (optional)').fill('hr.csv');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await page.getByLabel('Operator token').fill(idsync.credentials.admin_token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('After the session');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(/^Connected, \d+ fields found$/).waitFor();
  });

  it('shows the setting that the service refuses, and keeps the others', async () => {
    const page = await opened();
    await visit.open('/source-setup');
    await page.getByRole('button', { name: /^SCIM service/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Wrong address');
    await page.getByLabel('URL', { exact: true }).fill('nonsense');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('config.url must be an http or https URL').waitFor();
    expect(await page.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Wrong address');
  });

  it('issues and revokes the token of an identity provider that pushes', async () => {
    const page = await opened();
    await visit.open('/source-setup');
    await page.getByRole('button', { name: /^SCIM push/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Okta');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByRole('button', { name: 'Issue a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Okta provisioning');
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    const token = await page.getByText(/^iss_/).textContent();
    const { id } = await sourceNamed('Okta');
    const scim = () =>
      fetch(`${idsync.credentials.base_url}/scim/v2/${id}/Users`, { headers: { authorization: `Bearer ${token}` } });
    expect((await scim()).status).toBe(200);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByText(/^iss_/).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke Okta provisioning' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('The token is revoked.').waitFor();
    await until(async () => (await scim()).status === 401, 'the revoked token is refused');
    expect(visit.reports).toEqual([]);
  });

  it.each([
    { view: '360 pixels, light', options: { viewport: { width: 360, height: 740 } } },
    { view: '1280 pixels, dark', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } },
  ] as const)('has no accessibility violation and fits at $view', async ({ options }) => {
    await opened(options);
    const { id } = await sourceNamed('HR');
    const steps = ['connection', 'test', 'map', 'dry-run', 'schedule'].map(
      (step) => `/source-setup?source=${id}&step=${step}`,
    );
    for (const path of ['/source-setup', ...steps, `/sources/${id}`, '/sources']) {
      await visit.open(path);
      expect([path, await visit.widths()]).toEqual([path, [options.viewport.width, options.viewport.width]]);
      expect([path, await visit.squashed()]).toEqual([path, []]);
      expect([path, await visit.violations()]).toEqual([path, []]);
    }
    expect(visit.reports).toEqual([]);
  });

  it('shows an operator no set-up', async () => {
    const { token } = await idsync.operator<{ token: string }>('POST', '/service-tokens', {
      name: 'olga',
      role: 'operator',
    });
    const page = await opened({}, token);
    await visit.open('/sources');
    expect(await page.getByRole('link', { name: 'New source' }).count()).toBe(0);
    await visit.open('/source-setup');
    await page.getByText('Your role does not allow this').waitFor();
  });
});
