import { until } from '@idsync/testing';
import { describe, expect, it } from '@jest/globals';
import type { ConsoleContext } from './context.js';

interface List<Item> {
  data: Item[];
}

const isStreamUrl = /\/events\/stream$/;
const isStream = (url: string) => isStreamUrl.test(url);
const isList = (url: string) => /\/admin\/.*\/events\?/.test(url);

/** The feed of events, and the search of ids. */
export function eventsTests(console: ConsoleContext): void {
  /** Causes an event by a test of a webhook. */
  async function sendTest(): Promise<void> {
    const webhooks = `/tenants/${console.tenant}/webhooks`;
    const { data } = await console.idsync.operator<List<{ id: string }>>('GET', webhooks);
    await console.idsync.operator('POST', `${webhooks}/${data[0]?.id}/test`, { message: 'from a test' });
  }

  describe('events in the console', () => {
    it('shows a new event without a reload, unless the feed is paused', async () => {
      const { page, open, reports } = await console.opened();
      await open('/events?types=webhook.test');
      await page.getByText('No event matches').waitFor();
      await sendTest();
      await page.getByRole('link', { name: 'webhook.test' }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'webhook.test' }).click();
      await page.getByRole('region', { name: 'Deliveries' }).getByText('payroll.fjordlight.example').waitFor();
      await page.getByRole('region', { name: 'Body, as subscribers receive it' }).getByText('from a test').waitFor();
      expect(reports).toEqual([]);
    });

    it('shows a new event by the stream, without polling', async () => {
      const { page, open, settled, reports } = await console.opened();
      const stream = page.waitForResponse((response) => isStream(response.url()));
      await open('/events?types=webhook.*');
      expect((await stream).status()).toBe(200);
      // Its begin has the list read once more.
      await page.waitForResponse((response) => isList(response.url()));
      await settled();
      const lists: string[] = [];
      page.on('request', (request) => isList(request.url()) && lists.push(request.url()));
      // A late event of an earlier test has the list read, too. Longer than two intervals of the polling.
      await until(async () => {
        lists.length = 0;
        await page.waitForTimeout(8_000);
        return lists.length === 0;
      }, 'a period in which the list is not read');
      const links = page.getByRole('link', { name: 'webhook.test' });
      const before = await links.count();
      await sendTest();
      await links.nth(before).waitFor();
      expect(reports).toEqual([]);
    });

    it('shows a new event by polling if the stream is refused', async () => {
      const { page, open } = await console.opened();
      await page.route(isStreamUrl, (route) => route.fulfill({ status: 503, headers: { 'retry-after': '60' } }));
      const refused = page.waitForResponse((response) => isStream(response.url()));
      await open('/events?types=webhook.*');
      expect((await refused).status()).toBe(503);
      const links = page.getByRole('link', { name: 'webhook.test' });
      const before = await links.count();
      await sendTest();
      await links.nth(before).waitFor();
    });

    it('closes the stream while the page is hidden', async () => {
      const { page, open, reports } = await console.opened();
      const show = (isHidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
           document.dispatchEvent(new Event('visibilitychange'))`,
        );
      const opening = () => page.waitForResponse((response) => isStream(response.url()));
      const first = opening();
      await open('/events');
      await first;
      const closed = page.waitForEvent('requestfailed', (request) => isStream(request.url()));
      await show(true);
      await closed;
      const again = opening();
      await show(false);
      expect((await again).status()).toBe(200);
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
      const [job, webhook, event, machine, account] = await Promise.all([
        console.idsync.operator<List<{ job_id: string }>>('GET', `${path}/sync-jobs?limit=1`),
        console.idsync.operator<List<{ id: string }>>('GET', `${path}/webhooks`),
        console.idsync.operator<List<{ id: string }>>('GET', `${path}/events?limit=1`),
        console.idsync.operator<List<{ id: string }>>('GET', `${path}/machine-identities?limit=1`),
        console.idsync.operator<List<{ id: string }>>('GET', `${path}/accounts?limit=1`),
      ]);
      const targets: [id: string | undefined, path: string][] = [
        [person, `/people/${person}`],
        [users[0]?.id, `/people/${person}`],
        [job.data[0]?.job_id, `/runs/${job.data[0]?.job_id}`],
        [webhook.data[0]?.id, `/webhooks/${webhook.data[0]?.id}`],
        [event.data[0]?.id, `/events/${event.data[0]?.id}`],
        [machine.data[0]?.id, `/machines/${machine.data[0]?.id}`],
        [account.data[0]?.id, `/accounts/${account.data[0]?.id}`],
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
