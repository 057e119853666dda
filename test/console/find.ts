import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

const unknownTenant = 'ten_01kg9t8yr0e008000000000001';
const unknownPerson = 'idn_01kg9t8yr0e008000000000001';

/** The search of ⌘K, and addresses that lead nowhere. */
export function findTests(console: ConsoleContext): void {
  describe('finding a screen of the console', () => {
    it('keeps every key that is typed at once after Ctrl+K, while its code is loaded', async () => {
      const { page, open, reports } = await console.opened();
      await open('');
      // The first time its code must be loaded, here over a slow network.
      await page.route('**/palette-*.js', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await route.continue();
      });
      await page.keyboard.press('Control+k');
      await page.keyboard.type('linh nguyen', { delay: 10 });
      const search = page.getByRole('combobox', { name: 'Search' });
      await search.waitFor();
      await page.getByRole('option', { name: /Linh/ }).waitFor();
      expect(await search.inputValue()).toBe('linh nguyen');
      await page.keyboard.press('Escape');
      await search.waitFor({ state: 'detached' });

      await page.keyboard.press('Control+k');
      await page.keyboard.type('svc-tel', { delay: 10 });
      await page.getByRole('option', { name: /svc-telemetry/ }).waitFor();
      expect(await search.inputValue()).toBe('svc-tel');
      expect(reports).toEqual([]);
    });

    it.each([
      ['payroll', /payroll\.fjordlight\.example/, 'webhooks/whk_'],
      ['HR', /^HR Source/, 'sources/con_'],
      ['audit', /^Audit log/, 'audit'],
      ['svc-erp', /svc-erp-sync/, 'machines/mid_'],
    ])('finds by %j what it names', async (text, name, path) => {
      const { page, open, reports } = await console.opened();
      await open('');
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text);
      await page.getByRole('option', { name }).click();
      await page.waitForURL(`**/${path}*`);
      expect(reports).toEqual([]);
    });

    it('says that there is no such tenant, without requests for it', async () => {
      const { page, goto, settled, reports } = await console.opened();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await goto('/foo/people');
      await settled();
      await page.getByRole('heading', { name: 'There is no tenant foo' }).waitFor();
      await page.getByRole('link', { name: 'All tenants' }).waitFor();
      expect(requests.filter((url) => url.includes('/tenants/foo'))).toEqual([]);
      expect(reports).toEqual([]);
      requests.length = 0;
      await goto(`/${unknownTenant}/people`);
      await page.getByRole('heading', { name: `There is no tenant ${unknownTenant}` }).waitFor();
      expect(requests.filter((url) => url.includes(`/tenants/${unknownTenant}/`))).toEqual([]);
      await page.getByRole('link', { name: 'Home' }).click();
      await page.waitForURL(`**/console/${console.tenant}`);
    });

    it('keeps the navigation at an unknown address of a tenant', async () => {
      const { page, open, reports } = await console.opened();
      await open('/nothing/here');
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'People' }).click();
      await page.getByRole('heading', { name: 'People' }).waitFor();
      expect(reports).toEqual([]);
    });

    it('says that a person does not exist, and leads to the people', async () => {
      const { page, open } = await console.opened();
      await open(`/people/${unknownPerson}`);
      await page.getByRole('heading', { name: 'There is no such person' }).waitFor();
      await page.getByRole('link', { name: 'All people' }).click();
      await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
    });
  });
}
