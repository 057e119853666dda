import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { heldRun, pageOf, reviewCase, source, webhook } from '../../test/documents';
import type { Answers } from '../../test/fake-service';
import { renderScreen } from '../../test/render-screen';

const many = { count: 10_000, exact: false };
const beyond = { total: 10_000, total_is_estimate: true as const };
const busy = { ...webhook, pending: { count: 12_345, exact: true }, dead: many };
const hour = (at: number, counts: { events?: number; delivered: number; failed: number }) => ({
  events: 0,
  ...counts,
  at: new Date(Date.UTC(2026, 10, 24, at)).toISOString(),
});
const home: Answers = {
  'GET /connectors': pageOf(source),
  'GET /sync-jobs': ({ query }) => ({ ...pageOf(...(Number(query.offset ?? 0) > 0 ? [] : [heldRun])), ...beyond }),
  'GET /cases': ({ query }) => ({ ...pageOf(...(Number(query.offset ?? 0) > 0 ? [] : [reviewCase])), ...beyond }),
  'GET /findings/counts': {
    data: [
      { kind: 'unknown_manager', ...many },
      { kind: 'leaver_with_account', count: 1, exact: true },
    ],
  },
  'GET /webhooks': { data: [busy, { ...webhook, id: 'whk_2', dead: { count: 3, exact: true } }], total: 2 },
  'GET /identities': { ...pageOf(), total: 300_000 },
  'GET /activity': {
    hours: [
      hour(1, { events: 30_000, delivered: 206_000, failed: 0 }),
      hour(2, { events: 1, delivered: 1, failed: 1_234 }),
    ],
  },
};

/** Waits for a tile with this label and number. */
const tile = (label: string, number: string) =>
  screen.findByText((_, element) => element?.textContent === `${label}${number}`);

it('shows the numbers of Home as the service counted them, with a plus sign where it stopped', async () => {
  renderScreen('', { answers: home });
  const needs = within(await screen.findByRole('region', { name: 'What needs you' }));
  expect(needs.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
    'A run of HR is held',
    '9,999+ more runs are held',
    '10,000+ deliveries to receiver.example.com are dead',
    '3 deliveries to receiver.example.com are dead',
    '10,000+ cases need a decision',
    '1 leaver still has an account',
    '10,000+ managers are unknown',
  ]);
  await tile('Open findings', '10,001+');
  await tile('Open cases', '10,000+');
  await tile('Dead deliveries', '10,003+');
  await screen.findByText('300,000');
  const last = within(await screen.findByRole('region', { name: 'Last 24 hours' }));
  expect(last.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Events30,001',
    'Delivered206,001',
    'Failed attempts1,234',
  ]);
});

it('counts no delivery without a webhook, however many events there are', async () => {
  const hours = [hour(1, { events: 30_000, delivered: 0, failed: 0 })];
  renderScreen('', {
    answers: { ...home, 'GET /webhooks': { data: [], total: 0 }, 'GET /activity': { hours } },
  });
  const last = within(await screen.findByRole('region', { name: 'Last 24 hours' }));
  expect(last.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Events30,000',
    'Delivered0',
    'Failed attempts0',
  ]);
  await tile('Dead deliveries', '0');
});

it('counts all sources, also those beyond a page', async () => {
  const sources = Array.from({ length: 201 }, (_, n) => ({ ...source, id: `con_${n}` }));
  const { service } = renderScreen('', {
    answers: {
      ...home,
      'GET /connectors': ({ query }) => {
        const offset = Number(query.offset);
        return { data: sources.slice(offset, offset + 200), total: 201, limit: 200, offset };
      },
    },
  });
  await screen.findByText('201');
  expect(service.asked.filter(({ path }) => path === '/connectors').map(({ query }) => query.offset)).toEqual([
    '0',
    '200',
  ]);
});

it('shows the deliveries of a webhook in its list, and all attempts of a day on its page', async () => {
  const answers: Answers = {
    ...home,
    'GET /webhooks/{webhookId}': {
      ...busy,
      statistics: {
        since: '2026-11-24T01:00:00.000Z',
        attempts: 207_235,
        success_rate: 0.994,
        duration_ms: { p50: 30, p99: 900, attempts: 10_000 },
        outcomes: { delivered: 206_001, rejected: 1_234 },
        hours: [hour(1, { delivered: 206_000, failed: 0 }), hour(2, { delivered: 1, failed: 1_234 })],
      },
    },
    'GET /deliveries': { data: [], limit: 50 },
    'GET /replays': { data: [], limit: 200 },
    'GET /approvals': pageOf(),
  };
  renderScreen(`/webhooks/${webhook.id}`, { role: 'viewer', answers });
  await screen.findByText('206,001 delivered');
  expect(screen.getByText('1,234 failed')).toBeDefined();
  expect(screen.getByText('207,235 attempts')).toBeDefined();
  await tile('Pending', '12,345');
  await tile('Dead', '10,000+');
  expect(screen.getByText('30 ms, slowest 1 %: 900 ms, of the newest 10,000')).toBeDefined();
});

it.each([
  ['/runs', '10,000+ in total'],
  ['/cases', '10,000+ open'],
])('marks the total of %s that the service has not counted to the end', async (path, text) => {
  renderScreen(path, {
    role: 'viewer',
    answers: { ...home, 'GET /cases/{caseId}': reviewCase, 'GET /approvals': pageOf() },
  });
  await screen.findByText(text);
});

it('shows the counts of a run, and that only its first errors are listed', async () => {
  const errors = [{ message: 'no email' }];
  const run = {
    ...heldRun,
    status: 'completed_with_errors' as const,
    records_read: 206_000,
    records_failed: 1_234,
    errors,
  };
  renderScreen('/runs/job_held', {
    role: 'viewer',
    answers: { ...home, 'GET /sync-jobs/{jobId}': run },
  });
  await tile('Records read', '206,000');
  await tile('Failed', '1,234');
  await screen.findByRole('region', { name: 'Records that failed: the first 1' });
});
