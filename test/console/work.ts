import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

interface List<Item> {
  data: Item[];
}

/** Findings, deliveries and runs: the main task of each screen. */
export function workTests(console: ConsoleContext): void {
  describe('daily work in the console', () => {
    it('accepts a finding with a reason, which is then listed as accepted', async () => {
      const { page, open, reports } = await console.opened();
      await open('/findings?kind=machine_without_owner');
      await page.getByRole('button', { name: 'Accept…' }).first().click();
      await page.getByLabel('Reason').fill('its replacement is planned');
      await page.getByRole('button', { name: 'Accept', exact: true }).click();
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await page.getByLabel('State').selectOption('accepted');
      await page.getByRole('cell', { name: 'Accepted' }).first().waitFor();
      expect(reports).toEqual([]);
    });

    it('lists machines with the names of their owners, and opens an owner', async () => {
      const { page, open, reports } = await console.opened();
      const { data } = await console.idsync.operator<List<{ owned_by?: string; owner_name?: string }>>(
        'GET',
        `/tenants/${console.tenant}/machine-identities`,
      );
      const { owned_by = '', owner_name = '' } = data.find((machine) => machine.owner_name) ?? {};
      await open('/machines');
      const owner = page.getByRole('link', { name: owner_name, exact: true }).first();
      expect(await owner.getAttribute('title')).toBe(owned_by);
      await owner.click();
      await page.getByRole('heading', { name: owner_name }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(new RegExp(`/people/${owned_by}$`));
      expect(reports).toEqual([]);
    });

    it('shows a machine without an owner as a machine wherever its identity is listed or opened', async () => {
      const path = `/tenants/${console.tenant}/identities?q=svc-erp`;
      const { data } = await console.idsync.operator<{ data: { id: string; machine_identities: { id: string }[] }[] }>(
        'GET',
        path,
      );
      const [identity] = data;
      const machine = identity?.machine_identities[0]?.id;
      const visit = await console.opened();
      const { page, open, reports } = visit;
      await open('/people?q=svc-erp');
      await page.getByRole('row', { name: /svc-erp-sync.*Machine.*Orphaned/ }).waitFor();
      expect(await visit.violations()).toEqual([]);
      await page.getByRole('link', { name: 'svc-erp-sync' }).click();
      await page.waitForURL(`**/machines/${machine}`);
      await open(`/people/${identity?.id}`);
      await page.waitForURL(`**/machines/${machine}`);
      await page.getByRole('heading', { name: 'svc-erp-sync' }).waitFor();
      expect(reports).toEqual([]);
    });

    it('opens a machine without an owner, with the reason of its risk, its record, its finding and its events', async () => {
      const { page, open, settled, reports } = await console.opened();
      await open('/machines');
      await page.getByRole('link', { name: 'svc-erp-sync', exact: true }).click();
      await page.getByRole('heading', { name: 'svc-erp-sync' }).waitFor();
      await settled();
      await page.getByRole('region', { name: 'Risk' }).getByText('It has no active owner').waitFor();
      await page.getByText('No owner: its source names no responsible person.').waitFor();
      await page.getByText('CN=svc-erp-sync,OU=Services,DC=fjordlight,DC=example').waitFor();
      await page.getByRole('link', { name: 'machine_identity.created' }).waitFor();
      await page.getByRole('region', { name: 'Findings' }).getByRole('link', { name: 'Machine without owner' }).click();
      await page.getByRole('link', { name: 'svc-erp-sync' }).click();
      await page.getByRole('heading', { name: 'svc-erp-sync' }).waitFor();
      expect(reports).toEqual([]);
    });

    it('shows a held run as held, and which settings, ids and values its plan is about', async () => {
      const { page, open, settled, reports } = await console.opened();
      await open('/runs?status=quarantined');
      const row = page.getByRole('row', { name: /Contractors/ });
      await row.getByText('Held').first().waitFor();
      expect(await page.getByText('99 %').count()).toBe(0);
      await row.getByRole('link').click();
      await page.getByText('Applied or set aside').waitFor();
      await page.getByRole('link', { name: 'Open plan' }).click();
      await settled();
      await page.getByText('Allowed: 20 % or 2 records, whichever is more', { exact: false }).waitFor();
      await page.getByText('+7', { exact: true }).waitFor();
      await page.getByText('The settings of the source changed after its last completed run').waitFor();
      await page.getByRole('button', { name: 'A-02', exact: true }).last().click();
      await page.getByRole('searchbox', { name: 'Find an external id' }).waitFor();
      await page.getByText('Present values of A-02').click();
      await page.getByText('grace.achieng@partners.example').waitFor();
      await page.getByRole('link', { name: 'See what changed' }).click();
      await page.getByText('contractors-new-agency.csv', { exact: false }).first().waitFor();
      expect(reports).toEqual([]);
    });

    it('lists acts in words, with their time and outcome also on a phone', async () => {
      const { page, open, reports } = await console.opened({ viewport: { width: 360, height: 740 } });
      await open('/audit?action=createSyncJob');
      const row = page.getByRole('row', { name: /Started a run/ }).first();
      await row.getByRole('time').waitFor();
      await row.getByText('Accepted').waitFor();
      await page.setViewportSize({ width: 1280, height: 800 });
      await row.getByText(/^20\d\d-/).waitFor();
      const cut = await page
        .getByRole('row')
        .getByRole('time')
        .evaluateAll((times) => times.filter(({ parentElement: cell }) => cell.scrollWidth > cell.clientWidth).length);
      expect(cut).toBe(0);
      expect(reports).toEqual([]);
    });

    it('sends a delivery that fails again', async () => {
      const { page, open, reports } = await console.opened();
      const { data } = await console.idsync.operator<List<{ id: string }>>(
        'GET',
        `/tenants/${console.tenant}/deliveries?status=pending&limit=1`,
      );
      await open(`/deliveries/${data[0]?.id}`);
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('It is sent again now.').waitFor();
      expect(reports).toEqual([]);
    });

    it('sends a test event to a webhook of the list, or shows as an error why it is refused', async () => {
      const { page, open, settled, reports } = await console.opened();
      await open('/webhooks');
      const table = page.getByRole('table', { name: 'Webhooks' });
      expect(await table.getByRole('columnheader').allTextContents()).toEqual([
        'Endpoint',
        'Events',
        'Health',
        'Pending',
        'Dead',
        'Last success',
      ]);
      await table.getByRole('link', { name: 'payroll.fjordlight.example' }).click();
      await settled();
      const notices = page.getByRole('status');
      await page.getByRole('button', { name: 'Send test event' }).click();
      await notices.getByText('A test event is on its way.').waitFor();
      expect(reports).toEqual([]);
      await page.route('**/test', (route) =>
        route.fulfill({ status: 409, json: { error: 'the webhook was deleted' } }),
      );
      await page.getByRole('button', { name: 'Send test event' }).click();
      await notices.locator('[class*="bad"]').getByText('the webhook was deleted').waitFor();
    });

    it('sends the events of a time again after a preview, and rotates the signing secret', async () => {
      const { page, open, settled, reports } = await console.opened();
      await open('/webhooks');
      await page.getByRole('link', { name: 'payroll.fjordlight.example' }).click();
      await settled();
      await page.getByRole('button', { name: 'Replay…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/^(more than )?\d+ events? of this time/).waitFor();
      await dialog.getByLabel('Events (optional)').fill('machine_identity.decommissioned');
      await dialog.getByText('0 events of this time').waitFor();
      await dialog.getByLabel('Events (optional)').fill('identity.nonsense');
      await dialog.getByRole('status').getByText('identity.nonsense').waitFor();
      await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
      await dialog.getByRole('alert').getByText('identity.nonsense').waitFor();
      await dialog.getByLabel('Events (optional)').fill('machine_identity.created');
      await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('status').getByText('The events are being sent again.').waitFor();
      await page.getByRole('table', { name: 'Replays' }).getByText('Done').waitFor();
      await page.getByRole('button', { name: 'Rotate secret…' }).click();
      await page.getByRole('button', { name: 'Rotate', exact: true }).click();
      await page.getByText(/^whsec_/).waitFor();
      // The browser reports the 400 for a name that no event has.
      expect(reports.filter((each) => !each.includes('400'))).toEqual([]);
    });

    it('keeps filters of runs by name, and offers the unfinished runs to be cancelled together', async () => {
      const { page, open, reports } = await console.opened();
      await open('/runs?status=quarantined');
      await page.getByRole('button', { name: 'Saved filters' }).click();
      await page.getByRole('menuitem', { name: 'Save these filters…' }).click();
      await page.getByLabel('Name').fill('Held');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await open('/runs');
      await page.getByRole('button', { name: 'Saved filters' }).click();
      await page.getByRole('menuitem', { name: 'Held', exact: true }).click();
      await page.waitForURL('**/runs?status=quarantined');
      await page.getByRole('button', { name: 'Cancel runs…' }).click();
      await page.getByRole('checkbox', { name: /Contractors/ }).uncheck();
      await page.getByLabel('Reason').fill('not needed');
      expect(await page.getByRole('button', { name: 'Cancel 0 runs' }).isDisabled()).toBe(true);
      expect(reports).toEqual([]);
    });
  });
}
