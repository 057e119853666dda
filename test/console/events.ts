import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

interface List<Item> {
  data: Item[];
}

/** The feed of events, and the search of ids. */
export function eventsTests(console: ConsoleContext): void {
  describe('events in the console', () => {
    it('shows a new event without a reload, unless the feed is paused', async () => {
      const { page, open, reports } = await console.opened();
      const { data } = await console.idsync.operator<List<{ id: string }>>(
        'GET',
        `/tenants/${console.tenant}/webhooks`,
      );
      const test = `/tenants/${console.tenant}/webhooks/${data[0]?.id}/test`;
      await open('/events?types=webhook.test');
      await page.getByText('No event matches').waitFor();
      await console.idsync.operator('POST', test, { message: 'from a test' });
      await page.getByRole('link', { name: 'webhook.test' }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'webhook.test' }).click();
      await page.getByRole('region', { name: 'Deliveries' }).getByText('payroll.fjordlight.example').waitFor();
      await page.getByRole('region', { name: 'Body, as subscribers receive it' }).getByText('from a test').waitFor();
      expect(reports).toEqual([]);
    });

    it('shows why a subscriber has not received an event of a person', async () => {
      const { page, open, reports } = await console.opened();
      await open(`/people/${await console.personNamed('linh')}?view=events`);
      await page.getByRole('link', { name: 'identity.created' }).click();
      await page.getByRole('link', { name: 'payroll.fjordlight.example' }).click();
      await page.getByText(/^Attempts \(\d+\)$/).waitFor();
      expect(reports).toEqual([]);
    });

    it('opens what an id refers to', async () => {
      const { page, open, settled, reports } = await console.opened();
      const path = `/tenants/${console.tenant}`;
      const person = await console.personNamed('linh');
      const { users } = await console.idsync.operator<{ users: { id: string }[] }>(
        'GET',
        `${path}/identities/${person}`,
      );
      const [job, webhook, event] = await Promise.all([
        console.idsync.operator<List<{ job_id: string }>>('GET', `${path}/sync-jobs?limit=1`),
        console.idsync.operator<List<{ id: string }>>('GET', `${path}/webhooks`),
        console.idsync.operator<List<{ id: string }>>('GET', `${path}/events?limit=1`),
      ]);
      const targets: [id: string | undefined, path: string][] = [
        [person, `/people/${person}`],
        [users[0]?.id, `/people/${person}`],
        [job.data[0]?.job_id, `/runs/${job.data[0]?.job_id}`],
        [webhook.data[0]?.id, `/webhooks/${webhook.data[0]?.id}`],
        [event.data[0]?.id, `/events/${event.data[0]?.id}`],
      ];
      await open('');
      for (const [id = '', target] of targets) {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search' }).fill(id);
        await page.getByRole('option', { name: id }).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL(`**${target}*`);
        await settled();
      }
      expect(reports).toEqual([]);
    });
  });
}
