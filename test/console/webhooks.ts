import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

interface Webhook {
  id: string;
  callback_url: string;
  events: string[];
  active: boolean;
  header_names?: string[];
}

/** Creating, changing and deleting webhooks. */
export function webhookTests(console: ConsoleContext): void {
  const webhooksAt = async (host: string): Promise<Webhook[]> => {
    const path = `/tenants/${console.tenant}/webhooks`;
    const { data } = await console.idsync.operator<{ data: Webhook[] }>('GET', path);
    return data.filter(({ callback_url }) => new URL(callback_url).host === host);
  };

  describe('a webhook in the console', () => {
    it('is created, with its secret shown once, changed, deactivated and deleted', async () => {
      const host = 'receiver.example.com';
      const visit = await console.opened();
      const { page, open, reports } = visit;
      await open('/webhooks');
      await page.getByRole('link', { name: 'New webhook' }).click();
      const create = page.getByRole('button', { name: 'Create webhook' });
      await page.getByLabel('Address', { exact: true }).fill(`https://${host}/hook`);
      expect(await create.isDisabled()).toBe(true);
      await page.getByLabel('finding.*', { exact: true }).check();
      await page.getByRole('button', { name: '0 of 4 events of group.*' }).click();
      await page.getByLabel('group.created', { exact: true }).check();
      await page.getByRole('button', { name: 'Add a header' }).click();
      await page.getByLabel('Header 1', { exact: true }).fill('X-Team');
      await page.getByLabel('Value 1', { exact: true }).fill('s3cret');
      expect(await visit.violations()).toEqual([]);
      await create.click();
      await page.getByText(/^whsec_/).waitFor();
      expect(await visit.violations()).toEqual([]);
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('heading', { name: host }).waitFor();
      expect(await page.getByText(/^whsec_/).count()).toBe(0);
      const events = ['finding.*', 'group.created'];
      expect(await webhooksAt(host)).toMatchObject([{ events, active: true, header_names: ['x-team'] }]);

      await page.getByRole('link', { name: 'Change settings' }).click();
      await page.getByLabel('group.created', { exact: true }).uncheck();
      await page.getByText('x-team').waitFor();
      expect(await visit.violations()).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings are saved.').waitFor();
      expect(await webhooksAt(host)).toMatchObject([{ events: ['finding.*'], header_names: ['x-team'] }]);

      await page.getByRole('button', { name: 'Deactivate…' }).click();
      await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
      await page.getByText('Inactive', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: /test event|Replay/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Activate…' }).click();
      await page.getByRole('button', { name: 'Activate', exact: true }).click();
      await page.getByRole('button', { name: 'Deactivate…' }).waitFor();
      expect(await webhooksAt(host)).toMatchObject([{ active: true }]);

      await page.getByRole('button', { name: 'Delete…' }).click();
      const remove = page.getByRole('button', { name: 'Delete', exact: true });
      expect(await remove.isDisabled()).toBe(true);
      expect(await visit.violations()).toEqual([]);
      await page.getByLabel(`Type ${host} to confirm`).fill(host);
      await remove.click();
      await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
      await page.getByRole('link', { name: host }).waitFor({ state: 'detached' });
      expect(await webhooksAt(host)).toEqual([]);
      expect(reports).toEqual([]);
    });

    it('keeps its input when the service refuses the address', async () => {
      const { page, open } = await console.opened();
      await open('/webhooks/new');
      await page.getByLabel('Address', { exact: true }).fill('http://169.254.169.254/latest');
      await page.getByLabel('All events', { exact: true }).check();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText('callback_url cannot be called', { exact: false }).waitFor();
      expect(await page.getByLabel('All events', { exact: true }).isChecked()).toBe(true);
      expect(await webhooksAt('169.254.169.254')).toEqual([]);
    });

    it('is not changed by an operator without the role admin', async () => {
      const { token } = await console.idsync.operator<{ token: string }>('POST', '/service-tokens', {
        name: 'oskar',
        role: 'operator',
      });
      const { page, open } = await console.opened({}, token);
      await open('/webhooks');
      expect(await page.getByRole('link', { name: 'New webhook' }).count()).toBe(0);
      await page.getByRole('link', { name: 'payroll.fjordlight.example' }).click();
      await page.getByRole('button', { name: 'Send test event' }).waitFor();
      expect(await page.getByRole('button', { name: /Deactivate|Delete|Rotate/ }).count()).toBe(0);
      await open('/webhooks/new');
      await page.getByText('Your role does not allow this').waitFor();
    });
  });
}
