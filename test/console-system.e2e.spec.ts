import {
  chromiumProgram,
  createTestDatabase,
  DirectoryFixture,
  inChromium,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { ConsoleUnderTest, type Visit } from './support/console-browser.js';

const suite = inChromium(describe, 'the system screen of the console');

interface DeadLetter {
  id: string;
  queue: string;
  message_id: string;
}

let database: TestDatabase;
let fixture: DirectoryFixture;
let idsync: ConsoleUnderTest;
let visit: Visit;

beforeAll(async () => {
  if (!chromiumProgram) return;
  database = await createTestDatabase();
  fixture = DirectoryFixture.connect(database.url);
  idsync = await ConsoleUnderTest.start(chromiumProgram, { DATABASE_URL: database.url });
});

afterAll(async () => {
  await idsync?.close();
  await fixture?.close();
  await database?.drop();
});

afterEach(async () => {
  await visit?.close();
});

const letters = async (queue: string): Promise<DeadLetter[]> =>
  (await idsync.operator<{ data: DeadLetter[] }>('GET', `/system/dead-letters?queue=${queue}`)).data;

/** Sends a message that its receiver cannot read, and returns it when the queue has given it up. */
async function deadLetter(type: string, queue: string): Promise<DeadLetter> {
  const [row] = await fixture.rows<{ id: string }>(
    `insert into outbox (producer, message_id, type, message)
     values ('idsync_gateway', gen_random_uuid(), $1, '{"data":{"seq":1}}') returning message_id as id`,
    [type],
  );
  return given(queue, row?.id ?? '');
}

async function given(queue: string, messageId: string, but = ''): Promise<DeadLetter> {
  return until(
    async () => (await letters(queue)).find(({ id, message_id }) => message_id === messageId && id !== but),
    `the dead letter ${messageId}`,
  );
}

const opened = async (options?: BrowserContextOptions, token?: string) => {
  visit = await idsync.visit(options);
  await visit.signIn(token);
  await visit.open('/system');
  return visit.page;
};

const audited = async (action: string) =>
  (await idsync.operator<{ data: { resource: string; reason?: string }[] }>('GET', `/audit?action=${action}`)).data;

suite('the system screen of the console', () => {
  it('lists a dead letter, shows its message, and sends it again', async () => {
    const letter = await deadLetter('webhook.replay.cancel_requested', 'webhook-dispatcher.replays');
    const page = await opened();
    const list = page.getByRole('table', { name: 'Dead letters' });
    expect(await visit.violations()).toEqual([]);
    await list.getByRole('link', { name: 'webhook.replay.cancel_requested' }).click();
    const dialog = page.getByRole('dialog', { name: 'webhook.replay.cancel_requested' });
    await dialog.getByText('webhook-dispatcher.replays').waitFor();
    await dialog.getByText('"seq"').first().waitFor();
    expect(await visit.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Send again…' }).click();
    await page.getByText('it returns to the dead letters', { exact: false }).waitFor();
    expect(await visit.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('The message is sent again.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await audited('requeueSystemDeadLetter')).toMatchObject([{ resource: letter.id }]);
    // It was handled again, with the same result.
    await given('webhook-dispatcher.replays', letter.message_id, letter.id);
    expect(visit.reports).toEqual([]);
  });

  it('discards a dead letter of the chosen queue when a reason is given', async () => {
    const letter = await deadLetter('sync.job.requested', 'sync-worker.jobs');
    const page = await opened();
    const queue = page.getByLabel('Queue', { exact: true });
    await queue.selectOption('directory.records');
    await page.getByText('No dead letter of this queue').waitFor();
    await queue.selectOption('sync-worker.jobs');
    await page.getByRole('table', { name: 'Dead letters' }).getByRole('link', { name: 'sync.job.requested' }).click();
    await page.getByRole('button', { name: 'Discard…' }).click();
    const discard = page.getByRole('button', { name: 'Discard', exact: true });
    expect(await discard.isDisabled()).toBe(true);
    expect(await visit.violations()).toEqual([]);
    await page.getByLabel('Reason').fill('the run was repeated');
    await discard.click();
    await page.getByText('The message is discarded.').waitFor();
    await page.getByText('No dead letter of this queue').waitFor();
    expect(await audited('discardSystemDeadLetter')).toMatchObject([
      { resource: letter.id, reason: 'the run was repeated' },
    ]);
    expect(await letters('sync-worker.jobs')).toEqual([]);
    expect(visit.reports).toEqual([]);
  });

  it('offers a viewer neither, and fits at 360 pixels in the dark theme', async () => {
    await deadLetter('webhook.replay.requested', 'webhook-dispatcher.replays');
    const { token } = await idsync.operator<{ token: string }>('POST', '/service-tokens', {
      name: 'vera',
      role: 'viewer',
    });
    const page = await opened({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' }, token);
    await page.getByRole('link', { name: 'webhook.replay.requested' }).click();
    await page
      .getByRole('dialog', { name: 'webhook.replay.requested' })
      .getByText('webhook-dispatcher.replays')
      .waitFor();
    expect(await page.getByRole('button', { name: /Discard|Send again/ }).count()).toBe(0);
    expect(await visit.violations()).toEqual([]);
    expect(await visit.widths()).toEqual([360, 360]);
    expect(visit.reports).toEqual([]);
  });
});
