import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

/** Bodies and other JSON. */
export function jsonTests(console: ConsoleContext): void {
  describe('a long JSON body in the console', () => {
    it('begins closed below its second level, and is opened and closed by the keyboard', async () => {
      const person = await console.personNamed('linh');
      const path = `/tenants/${console.tenant}/events?types=identity.updated&identity_id=${person}&limit=1`;
      const { data } = await console.idsync.operator<{ data: { id: string }[] }>('GET', path);
      const visit = await console.opened();
      const { page, open, reports } = visit;
      await open(`/events/${data[0]?.id}`);
      const body = page.getByRole('region', { name: 'Body', exact: true });
      await body.getByText('"display_name"').first().waitFor();
      const attributes = body.locator('summary', { hasText: '"attributes"' });
      await attributes.getByText(/^\d+ entries$/).waitFor();
      expect(await body.getByText('"field_name"').count()).toBe(0);
      expect(await visit.violations()).toEqual([]);
      await attributes.focus();
      await page.keyboard.press('Enter');
      await attributes.getByText(/^\d+ entries$/).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Expand all of Body' }).click();
      await body.getByText('"field_name"').first().waitFor();
      expect(await body.getByText(/^\d+ entr(y|ies)$/).count()).toBe(0);
      expect(await visit.violations()).toEqual([]);
      await page.getByRole('button', { name: 'Collapse all of Body' }).click();
      await body
        .locator('summary', { hasText: '"data"' })
        .getByText(/^\d+ entries$/)
        .waitFor();
      expect(reports).toEqual([]);
    });

    it('fits a phone when all of it is open', async () => {
      const visit = await console.opened({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
      const { data } = await console.idsync.operator<{ data: { id: string }[] }>(
        'GET',
        `/tenants/${console.tenant}/events?types=identity.*&limit=1`,
      );
      await visit.open(`/events/${data[0]?.id}`);
      await visit.page.getByRole('button', { name: 'Expand all of Body' }).click();
      expect(await visit.widths()).toEqual([360, 360]);
      expect(await visit.violations()).toEqual([]);
      expect(visit.reports).toEqual([]);
    });
  });
}
