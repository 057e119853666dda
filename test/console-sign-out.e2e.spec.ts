import { chromiumProgram, freePort, inChromium } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { IdentityProvider, oidcClient } from '../apps/gateway/test/identity-provider.js';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

const suite = inChromium(describe, 'sign-out in the console');

let provider: IdentityProvider;
let idsync: ConsoleUnderTest;
let visit: Visit;

beforeAll(async () => {
  if (!chromiumProgram) return;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const users = { eva: { email: 'eva@example.com', groups: ['admins'] }, tom: { email: 'tom@example.com' } };
  // Another host name is another site for the browser, as a real provider is.
  provider = await IdentityProvider.start(url, users, { host: 'localhost', asks: true });
  idsync = await ConsoleUnderTest.start(chromiumProgram, {
    ...oidcClient,
    PORT: String(port),
    PUBLIC_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_NAME: 'Example login',
    OIDC_SCOPES: 'openid email profile',
    OIDC_ROLE_MAPPING: JSON.stringify([{ group: 'admins', role: 'admin' }]),
  });
});

afterAll(async () => {
  await idsync?.close();
  await provider?.stop();
});

afterEach(async () => {
  await visit?.close();
});

const continueAtProvider = (page: Page) => page.getByRole('link', { name: 'Continue with Example login' }).click();

async function enterCredentials(page: Page, user = 'eva'): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  await page.getByLabel('User').fill(user);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in with credentials in a browser that has no session anywhere. */
async function signedIn(): Promise<Page> {
  visit = await idsync.visit();
  await visit.goto('/sign-in');
  await continueAtProvider(visit.page);
  await enterCredentials(visit.page);
  await visit.page.getByRole('heading', { name: 'Home' }).waitFor();
  return visit.page;
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /eva@example\.com/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

const confirmAtProvider = (page: Page) => page.getByRole('button', { name: 'Yes, sign me out' }).click();
const isSignedIn = (page: Page) => page.evaluate<boolean>("fetch('/admin/v1/session').then(({ ok }) => ok)");

suite('a sign-out in the console', () => {
  it('ends the session at the identity provider too: the next sign-in asks for credentials', async () => {
    const page = await signedIn();
    const ending = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/session/end?`));
    await signOut(page);
    const query = new URL((await ending).url()).searchParams;
    expect(query.get('post_logout_redirect_uri')).toBe(`${idsync.credentials.base_url}/console/sign-in`);
    expect(query.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await confirmAtProvider(page);
    await page.getByRole('heading', { name: 'Sign in to idsync' }).waitFor();
    expect(await isSignedIn(page)).toBe(false);
    expect((await page.context().cookies()).filter(({ name }) => name.startsWith('idsync'))).toEqual([]);
    await continueAtProvider(page);
    await enterCredentials(page);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });

  it('ends the session in idsync also if the person stays signed in at the identity provider', async () => {
    const page = await signedIn();
    await signOut(page);
    await page.getByRole('button', { name: 'No, stay signed in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in to idsync' }).waitFor();
    expect(await isSignedIn(page)).toBe(false);
    await continueAtProvider(page);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
});

suite('a sign-out at the identity provider', () => {
  it('ends the session in the console, which asks to sign in again and keeps the input', async () => {
    const page = await signedIn();
    await visit.open('/access');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    const other = await page.context().newPage();
    await other.goto(`${provider.issuer}/session/end`);
    await confirmAtProvider(other);
    await other.getByText('Sign-out Success').first().waitFor();

    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    expect(await visit.violations()).toEqual([]);
    expect(await isSignedIn(page)).toBe(false);
    const again = page.context().waitForEvent('page');
    await page.getByRole('link', { name: /Example login/ }).click();
    await enterCredentials(await again);
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept');
    await page.getByRole('button', { name: 'Issue', exact: true }).click();
    await page.getByText(/^iss_/).waitFor();
  });

  it('leads to the sign-in page when a screen is opened', async () => {
    const page = await signedIn();
    const other = await page.context().newPage();
    await other.goto(`${provider.issuer}/session/end`);
    await confirmAtProvider(other);
    await other.getByText('Sign-out Success').first().waitFor();
    await visit.goto(`/${idsync.credentials.tenant_id}/people`);
    await page.getByRole('heading', { name: 'Sign in to idsync' }).waitFor();
    await continueAtProvider(page);
    await enterCredentials(page);
    await page.waitForURL(`**/console/${idsync.credentials.tenant_id}/people`);
  });
});

suite('a sign-in that the console refuses', () => {
  it('says why, for every reason, and shows no text of a link', async () => {
    visit = await idsync.visit();
    await visit.goto('/sign-in');
    await continueAtProvider(visit.page);
    await enterCredentials(visit.page, 'tom');
    await visit.page.getByText('You are known, but have no role in idsync.').waitFor();
    const texts = new Set<string | null>();
    for (const code of ['denied', 'expired', 'invalid_response', 'no_role', 'provider_unavailable', 'call-555-0100']) {
      await visit.goto(`/sign-in?error=${code}`);
      texts.add(await visit.page.getByRole('alert').textContent());
    }
    expect(texts.size).toBe(6);
    expect([...texts].join()).not.toContain('555');
  });
});
