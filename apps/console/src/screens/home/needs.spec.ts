import { type FindingKind, findingKinds } from '@idsync/contracts/fixed-values';
import { expect, it } from '@jest/globals';
import type { Connector, ReviewCase, WebhookHealthList } from '../../data/api';
import { needsOf } from './needs.js';

const review: ReviewCase = {
  id: 'cas_1',
  status: 'open',
  kind: 'weak',
  reason: 'same name',
  opened_at: '2026-11-24T12:00:00.000Z',
  record: {
    id: 'usr_1',
    kind: 'user',
    connector_id: 'con_1',
    external_id: 'A-12',
    identity_id: 'idn_1',
    document: { first_name: 'Zoë', last_name: 'Müller' },
  },
  candidates: [{ identity_id: 'idn_2', display_name: 'Zoe Muller', score: 1, evidence: [] }],
};
const quiet = { held: { data: [], total: 0 }, sources: [], findings: [], webhooks: [], now: 0 };
const open = (kind: FindingKind, count = 1, exact = true) => ({ kind, count, exact });
const needOf = (data: ReviewCase[], total = data.length) =>
  needsOf({ ...quiet, cases: { data, total } }).map(({ title, detail, path }) => ({ title, detail, path }));

it('asks the question of a single case, and says how things are meanwhile', () => {
  expect(needOf([review])).toEqual([
    {
      title: 'Zoë Müller may be the same person as Zoe Muller',
      detail: 'Matching could not decide. They are separate people until you decide.',
      path: '/cases',
    },
  ]);
});

it('counts several cases, and is silent without one', () => {
  expect(needOf([review, review], 12)).toMatchObject([{ title: '12 cases need a decision' }]);
  expect(shown({ cases: { data: [review], total: 10_000, total_is_estimate: true } })).toMatchObject([
    { title: '10,000+ cases need a decision' },
  ]);
  expect(needOf([])).toEqual([]);
});

const now = Date.parse('2026-11-24T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
const noCases = { data: [], total: 0 };
const run = { job_id: 'job_1', connector_id: 'con_1', created_at: hoursAgo(1) };
const source = { id: 'con_1', name: 'HR', health: 'ok', failures: 0 } as Connector;
const webhook: WebhookHealthList['data'][number] = {
  id: 'whk_1',
  callback_url: 'https://receiver.example.com/hook',
  events: ['user.*'],
  active: true,
  created_at: hoursAgo(99),
  pending: { count: 0, exact: true },
  dead: { count: 0, exact: true },
  breaker: { state: 'closed' },
  failures: 0,
};
const shown = (situation: Partial<Parameters<typeof needsOf>[0]>) =>
  needsOf({ ...quiet, cases: noCases, now, ...situation }).map(({ icon, tone, title, detail, at, path }) => ({
    icon,
    tone,
    title,
    detail,
    at,
    path,
  }));

it('lists held runs, sources, webhooks, cases and findings in this order', () => {
  const needs = needsOf({
    held: { data: [run, { ...run, job_id: 'job_2', connector_id: 'con_gone' }], total: 2 },
    sources: [{ ...source, health: 'failing' }],
    webhooks: [{ ...webhook, breaker: { state: 'open' } }],
    cases: { data: [review], total: 1 },
    findings: [open('manager_cycle'), open('leaver_with_account')],
    now,
  });
  expect(needs.map(({ key, title }) => [key, title])).toEqual([
    ['job_1', 'A run of HR is held'],
    ['job_2', 'A run of con_gone is held'],
    ['con_1', 'HR cannot be read'],
    ['whk_1', 'Webhook receiver.example.com does not answer'],
    ['cases', 'Zoë Müller may be the same person as Zoe Muller'],
    ['leaver_with_account', '1 leaver still has an account'],
    ['manager_cycle', '1 circle of managers'],
  ]);
});

it('is empty for sources, webhooks and runs without a failure', () => {
  const scheduled = { ...source, schedule: { cron: '0 * * * *' } } as unknown as Connector;
  const sources = [
    source,
    { ...scheduled, complete_as_of: hoursAgo(26) },
    // Without a schedule, or while it is paused, a source is read only on request.
    { ...source, complete_as_of: hoursAgo(99) },
    { ...scheduled, complete_as_of: hoursAgo(99), schedule: { paused: true } } as unknown as Connector,
    scheduled,
  ];
  expect(shown({ sources, webhooks: [webhook, { ...webhook, active: false }] })).toEqual([]);
});

it('links a held run to its plan, with the reason why it is held', () => {
  const held = (error_message?: string) => shown({ held: { data: [{ ...run, error_message }], total: 1 } });
  expect(held('quarantined: the run would delete 40 of 100 people')).toEqual([
    {
      icon: 'plan',
      tone: 'warn',
      title: 'A run of con_1 is held',
      detail: 'The run would delete 40 of 100 people',
      at: run.created_at,
      path: '/runs/job_1/plan',
    },
  ]);
  expect(held()).toMatchObject([{ detail: 'It would change more than the safeguard allows.' }]);
});

it.each([
  ['fails', { health: 'failing' }, 'bad', 'HR cannot be read', 'The last run failed.'],
  [
    'is suspended',
    { health: 'suspended', failures: 7, last_run: { error_message: 'timed out' } },
    'bad',
    'HR is suspended after 7 failures',
    'timed out',
  ],
  [
    'fails with a text of the source',
    { health: 'failing', last_run: { error_message: 'refused', source_message: 'wrong password' } },
    'bad',
    'HR cannot be read',
    'wrong password',
  ],
  [
    'was not read completely for more than 26 hours',
    { schedule: { paused: false }, complete_as_of: hoursAgo(26.01) },
    'warn',
    'HR is out of date',
    'Its last complete read is more than a day ago.',
  ],
])('lists a source that %s', (_, state, tone, title, detail) => {
  expect(shown({ sources: [{ ...source, ...state } as unknown as Connector] })).toMatchObject([
    { icon: 'source', tone, title, detail, path: '/sources/con_1' },
  ]);
});

it.each([
  [
    'was switched off, before its dead deliveries',
    {
      active: false,
      disabled_at: hoursAgo(2),
      disabled_reason: 'it failed for 5 days',
      dead: { count: 1, exact: true },
    },
    'bad',
    'Webhook receiver.example.com was switched off',
    'it failed for 5 days',
    hoursAgo(2),
  ],
  [
    'has dead deliveries, before its failing attempts',
    { dead: { count: 3, exact: true }, last_failure_at: hoursAgo(1), breaker: { state: 'open' } },
    'bad',
    '3 deliveries to receiver.example.com are dead',
    'They are not sent again until you requeue them.',
    hoursAgo(1),
  ],
  [
    'has more dead deliveries than are counted',
    { dead: { count: 1_000, exact: false } },
    'bad',
    '1,000+ deliveries to receiver.example.com are dead',
    'They are not sent again until you requeue them.',
    undefined,
  ],
  [
    'does not answer',
    { breaker: { state: 'half_open' }, last_failure_at: hoursAgo(1) },
    'warn',
    'Webhook receiver.example.com does not answer',
    'Deliveries wait until it does.',
    hoursAgo(1),
  ],
])('lists a webhook that %s', (_, state, tone, title, detail, at) => {
  const webhooks = [{ ...webhook, ...state } as typeof webhook];
  expect(shown({ webhooks })).toEqual([{ icon: 'webhook', tone, title, detail, at, path: '/webhooks/whk_1' }]);
});

it.each([
  ['leaver_with_account', 'bad', '1 leaver still has an account', '2 leavers still have accounts'],
  ['leaver_with_machine_secret', 'bad', '1 leaver owns a machine with a secret', '2 leavers own machines with secrets'],
  ['machine_without_owner', 'warn', '1 machine has no owner', '2 machines have no owner'],
  ['leaver_in_other_source', 'warn', '1 leaver is active in another source', '2 leavers are active in other sources'],
  [
    'employment_conflict',
    'warn',
    '1 person has left by one of two sources',
    '2 people have left by one of two sources',
  ],
  ['unmatched_account', 'warn', '1 account belongs to nobody', '2 accounts belong to nobody'],
  ['duplicate_in_source', 'warn', '1 person is twice in one source', '2 people are twice in one source'],
  [
    'stale_source',
    'warn',
    '1 source was not read completely for too long',
    '2 sources were not read completely for too long',
  ],
  ['unknown_manager', 'info', '1 manager is unknown', '2 managers are unknown'],
  ['manager_cycle', 'info', '1 circle of managers', '2 circles of managers'],
] as const)('counts the findings of the kind %s, and links them', (kind, tone, one, many) => {
  const path = `/findings?kind=${kind}`;
  expect(shown({ findings: [open(kind)] })).toMatchObject([{ icon: 'finding', tone, title: one, path }]);
  expect(shown({ findings: [open(kind, 2)] })).toMatchObject([{ title: many, path }]);
});

it('mentions every kind of open findings, and how many there are beyond what is counted', () => {
  const findings = findingKinds.map((kind) => open(kind, 10_000, false));
  const titles = shown({ findings }).map(({ title }) => title);
  expect(titles).toHaveLength(findingKinds.length);
  expect(titles[0]).toBe('10,000+ leavers still have accounts');
  expect(titles.filter((title) => !title.startsWith('10,000+ '))).toEqual([]);
});

it('mentions the held runs that are not listed one by one', () => {
  const more = (total: number, rest = {}) => shown({ held: { data: [run], total, ...rest } })[1];
  expect(more(1)).toBeUndefined();
  expect(more(2)).toMatchObject({ title: '1 more run is held', path: '/runs?status=quarantined' });
  expect(more(10_000, { total_is_estimate: true })).toMatchObject({ title: '9,999+ more runs are held' });
});
