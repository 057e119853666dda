import { chromiumProgram, freePort, inChromium, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { IdentityProvider, oidcClient } from '../apps/gateway/test/identity-provider.js';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

const suite = inChromium(describe, 'access in the console');

let provider: IdentityProvider;
let idsync: ConsoleUnderTest;
let tenant: string;
let visit: Visit;

beforeAll(async () => {
  if (!chromiumProgram) return;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  provider = await IdentityProvider.start(url, { eva: { email: 'eva@example.com', groups: ['admins'] } });
  idsync = await ConsoleUnderTest.start(chromiumProgram, {
    ...oidcClient,
    PORT: String(port),
    PUBLIC_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_NAME: 'Example login',
    OIDC_SCOPES: 'openid email profile',
    OIDC_ROLE_MAPPING: JSON.stringify([{ group: 'admins', role: 'admin' }]),
  });
  tenant = idsync.credentials.tenant_id;
});

afterAll(async () => {
  await idsync?.close();
  await provider?.stop();
});

afterEach(async () => {
  await visit?.close();
});

const opened = async (options?: BrowserContextOptions, token?: string) => {
  visit = await idsync.signedIn(options, token);
  return visit.page;
};

const statusOf = async (key: string) => {
  const { status } = await fetch(`${idsync.credentials.base_url}/v1/users`, { headers: { 'x-api-key': key } });
  return status;
};

suite('access in the console', () => {
  it('issues a key that works, shows it once, and revokes it', async () => {
    const page = await opened();
    await visit.open('/access');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Reporting');
    await page.getByLabel('webhooks:read').uncheck();
    await page.getByLabel('Address ranges').fill('127.0.0.0/8');
    expect(await visit.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    const key = (await page.getByText(/^iss_/).textContent()) ?? '';
    expect(await statusOf(key)).toBe(200);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByText(/^iss_/).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke Reporting' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('The key is revoked.').waitFor();
    await until(async () => (await statusOf(key)) === 401, 'the revoked key is refused');
    expect(visit.reports).toEqual([]);
  });

  it('rotates a key: the second one has the same scopes', async () => {
    const page = await opened();
    await visit.open('/access');
    await page.getByRole('button', { name: 'Rotate demo' }).click();
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await page.getByText(/^iss_/).waitFor();
    const { data } = await idsync.operator<{ data: { name: string; scopes: string[] }[] }>(
      'GET',
      `/tenants/${tenant}/api-keys`,
    );
    const scopes = data.filter(({ name }) => name === 'demo').map((key) => key.scopes.toSorted());
    expect(scopes).toHaveLength(2);
    expect(scopes[0]).toEqual(scopes[1]);
  });

  it('issues a service token with a role, which signs in', async () => {
    const page = await opened();
    await visit.open('/access?view=operators');
    await page.getByRole('button', { name: 'Issue a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('vera');
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    const token = (await page.getByText(/^ist_/).textContent()) ?? '';
    await visit.close();
    const asViewer = await opened({}, token);
    await visit.open('/access');
    expect(await asViewer.getByRole('button', { name: 'Issue a key' }).count()).toBe(0);
    expect(await asViewer.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    for (const view of ['operators', 'people', 'findings', 'quotas']) {
      await visit.open(`/settings?view=${view}`);
      expect(await asViewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
    }
    expect(visit.reports).toEqual([]);
  });

  it('lists who is signed in, and ends the session of another operator', async () => {
    const { token } = await idsync.operator<{ token: string }>('POST', '/service-tokens', {
      name: 'نورة',
      role: 'viewer',
    });
    await opened({}, token);
    const other = visit;
    const page = await opened();
    await visit.open('/access?view=operators');
    const row = page
      .getByRole('table', { name: 'Sessions' })
      .getByRole('row', { name: /نورة.*viewer.*a service token/ });
    await row.getByRole('button', { name: 'End session of نورة' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await visit.violations()).toEqual([]);
    await page.getByRole('button', { name: 'End session', exact: true }).click();
    await page.getByText('The session has ended.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(visit.reports).toEqual([]);
    await other.goto(`/${tenant}/people`);
    await other.page.getByRole('heading', { name: 'Sign in to idsync' }).waitFor();
    await other.close();
  });

  it('continues with the input when the session is renewed at the identity provider in another tab', async () => {
    const page = await opened();
    await visit.open('/access');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    const other = page.context().waitForEvent('page');
    await page.getByRole('link', { name: /Example login/ }).click();
    await (await other).getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept');
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await page.getByText(/^iss_/).waitFor();
  });

  it.each([
    { view: '360 pixels, light', options: { viewport: { width: 360, height: 740 } } },
    { view: '1280 pixels, dark', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } },
  ] as const)('has no accessibility violation and fits at $view', async ({ options }) => {
    await opened(options);
    await visit.open();
    for (const path of [
      '/access',
      '/access?view=operators',
      '/settings',
      '/settings?view=operators',
      '/settings?view=people',
      '/settings?view=quotas',
      '/rules',
      '/rules?view=precedence',
    ]) {
      await visit.follow(path);
      expect([path, await visit.widths()]).toEqual([path, [options.viewport.width, options.viewport.width]]);
      expect([path, await visit.squashed()]).toEqual([path, []]);
      expect([path, await visit.violations()]).toEqual([path, []]);
    }
    expect(visit.reports).toEqual([]);
  });

  it('keeps what was entered in a section of the settings while another one is saved', async () => {
    const page = await opened();
    await visit.open('/settings?view=people');
    const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await page.getByLabel('Days of retention').fill('31');
    await sections.getByRole('link', { name: 'Quotas' }).click();
    await page.getByLabel('Sources', { exact: true }).fill('50');
    await sections.getByRole('link', { name: 'Findings' }).click();
    await page.getByLabel('Hours until a source is stale').fill('72');
    expect(await visit.violations()).toEqual([]);
    await save.click();
    await page.getByText('Saved.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await sections.getByRole('link', { name: 'Quotas (not saved)' }).click();
    expect(await page.getByLabel('Sources', { exact: true }).inputValue()).toBe('50');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Sources', { exact: true }).inputValue()).toBe('');
    await page.goBack();
    await page.goBack();
    await page.goBack();
    expect(await page.getByLabel('Days of retention').inputValue()).toBe('31');
    const stored = await idsync.operator<{ retention_days: number }>('GET', `/tenants/${tenant}/settings`);
    expect(stored).toMatchObject({ stale_source_hours: 72 });
    expect(stored.retention_days).not.toBe(31);
    expect(visit.reports).toEqual([]);
  });

  it('previews other matching rules with names, and applies them when a second operator approves', async () => {
    const tokenOf = async (name: string) =>
      (await idsync.operator<{ token: string }>('POST', '/service-tokens', { name, role: 'admin' })).token;
    await idsync.operator('PUT', `/tenants/${tenant}/operator-policy`, { four_eyes: true });
    const page = await opened({}, await tokenOf('ines'));
    await visit.open('/rules');
    await page.getByRole('button', { name: 'Remove employee_number' }).click();
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('People parted').waitFor();
    await page.getByRole('region', { name: 'Preview' }).getByText('Oluwaseun Adeyemi').first().waitFor();
    expect(await visit.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Apply…' }).click();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('Requested. A second operator must approve it.').waitFor();
    await visit.close();

    const second = await opened({}, await tokenOf('omar'));
    await visit.open('/rules');
    await second.getByText('ines requested it').waitFor();
    await second.getByRole('button', { name: 'Approve', exact: true }).click();
    await second.getByRole('button', { name: 'Approve and perform' }).click();
    await second.getByText('Approved', { exact: true }).waitFor();
    await until(async () => {
      const rules = await idsync.operator<{ certain: string[] }>('GET', `/tenants/${tenant}/matching-rules`);
      return !rules.certain.includes('employee_number');
    }, 'the approved rules apply');
    expect(visit.reports).toEqual([]);
  });

  // The last test: with two tenants, a sign-in leads to the list of tenants.
  it('creates a tenant, limits it, and suspends it', async () => {
    const page = await opened();
    await visit.goto('/tenants');
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByLabel('Name', { exact: true }).fill('شركة المثال');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await sections.getByRole('link', { name: 'Quotas' }).click();
    await page.getByLabel('Webhooks', { exact: true }).fill('2');
    await save.click();
    await page.getByText('Saved.').waitFor();
    await sections.getByRole('link', { name: 'Joiners and leavers' }).click();
    await page.getByLabel('Days of grace').fill('14');
    await save.click();
    await sections.getByRole('link', { name: 'General' }).click();
    await page.getByRole('button', { name: 'Suspend…' }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('Suspended', { exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    await until(async () => {
      const settings = await idsync.operator<{ grace_days: number }>('GET', `/tenants/${id}/settings`);
      return settings.grace_days === 14;
    }, 'the days of grace apply');
    expect(await idsync.operator('GET', `/tenants/${id}/quotas`)).toMatchObject({ webhooks: { limit: 2 } });
    expect(visit.reports).toEqual([]);
  });
});
