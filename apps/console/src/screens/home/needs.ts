import type { FindingKind } from '@idsync/contracts/fixed-values';
import type { IconName } from '../../components/button';
import { meanwhileOf, questionOf } from '../../components/describe-case.js';
import { hostOf } from '../../components/describe-webhook.js';
import { formatCount, formatCounted } from '../../components/format-time.js';
import { holdMessage, type Tone } from '../../components/words.js';
import type { Answer, Connector, ReviewCase, WebhookHealthList } from '../../data/api';

export interface Need {
  key: string;
  icon: IconName;
  tone: Tone;
  title: string;
  detail: string;
  at?: string;
  /** Path below the tenant, where it is decided or mended. */
  path: string;
}

interface Situation {
  held: {
    data: readonly { job_id: string; connector_id: string; error_message?: string; created_at: string }[];
    total: number;
    total_is_estimate?: boolean;
  };
  sources: readonly Connector[];
  cases: { data: readonly ReviewCase[]; total: number; total_is_estimate?: boolean };
  /** Kinds with open findings. */
  findings: Answer<'GET /findings/counts'>['data'];
  webhooks: WebhookHealthList['data'];
  now: number;
}

const staleMs = 26 * 3_600_000;

/** The most serious first. */
const findingTitles: Record<FindingKind, [one: string, many: string, Tone]> = {
  leaver_with_account: ['leaver still has an account', 'leavers still have accounts', 'bad'],
  leaver_with_machine_secret: ['leaver owns a machine with a secret', 'leavers own machines with secrets', 'bad'],
  machine_without_owner: ['machine has no owner', 'machines have no owner', 'warn'],
  stale_source: [
    'source was not read completely for too long',
    'sources were not read completely for too long',
    'warn',
  ],
  leaver_in_other_source: ['leaver is active in another source', 'leavers are active in other sources', 'warn'],
  employment_conflict: ['person has left by one of two sources', 'people have left by one of two sources', 'warn'],
  unmatched_account: ['account belongs to nobody', 'accounts belong to nobody', 'warn'],
  duplicate_in_source: ['person is twice in one source', 'people are twice in one source', 'warn'],
  user_looks_like_machine: ['person has an attribute of machines', 'people have an attribute of machines', 'info'],
  account_looks_like_machine: [
    'account has an attribute of machines',
    'accounts have an attribute of machines',
    'info',
  ],
  unknown_manager: ['manager is unknown', 'managers are unknown', 'info'],
  manager_cycle: ['circle of managers', 'circles of managers', 'info'],
};

const findingDetails: Partial<Record<FindingKind, string>> = {
  leaver_with_account: 'Disable the account in its source, or accept the finding.',
  leaver_with_machine_secret: 'Rotate the secret, and hand the machine over.',
  leaver_in_other_source: 'Another source still lists them as active.',
  employment_conflict: 'One source says that they have left, and another one that they work.',
  machine_without_owner: 'Nobody is responsible for it.',
  unmatched_account: 'Matching has found no person for it.',
};

/** Decisions and failures that need an operator, most urgent first. */
export function needsOf({ held, sources, cases, findings, webhooks, now }: Situation): Need[] {
  const nameOf = (id: string) => sources.find((source) => source.id === id)?.name ?? id;
  return [
    ...held.data.map(({ job_id, connector_id, error_message, created_at }) => ({
      key: job_id,
      icon: 'plan' as const,
      tone: 'warn' as const,
      title: `A run of ${nameOf(connector_id)} is held`,
      detail: (error_message && holdMessage(error_message)) ?? 'It would change more than the safeguard allows.',
      at: created_at,
      path: `/runs/${job_id}/plan`,
    })),
    ...furtherHeld(held),
    ...sources.flatMap((source) => sourceNeed(source, now)),
    ...webhooks.flatMap(webhookNeed),
    ...casesNeed(cases),
    ...findingNeeds(findings),
  ];
}

/** The held runs that are not listed one by one. */
function furtherHeld({ data, total, total_is_estimate }: Situation['held']): Need[] {
  const count = total - data.length;
  if (count <= 0) return [];
  const title = count === 1 ? '1 more run is held' : `${formatCount(count, total_is_estimate)} more runs are held`;
  return [{ key: 'held', icon: 'plan', tone: 'warn', title, detail: '', path: '/runs?status=quarantined' }];
}

function casesNeed({ data, total, total_is_estimate }: Situation['cases']): Need[] {
  const [first] = data;
  if (!first) return [];
  const words =
    total === 1
      ? { title: questionOf(first), detail: `Matching could not decide. ${meanwhileOf(first)}` }
      : {
          title: `${formatCount(total, total_is_estimate)} cases need a decision`,
          detail: 'Matching leaves records to you that may belong together.',
        };
  return [{ key: 'cases', icon: 'cases', tone: 'warn', ...words, at: first.opened_at, path: '/cases' }];
}

function sourceNeed(source: Connector, now: number): Need[] {
  const { id, name, health, failures, last_run, complete_as_of: completeAt, schedule } = source;
  const need = (tone: Tone, title: string, detail: string, at?: string): Need[] => [
    { key: id, icon: 'source', tone, title, detail, at, path: `/sources/${id}` },
  ];
  if (health === 'failing' || health === 'suspended') {
    const title = health === 'failing' ? `${name} cannot be read` : `${name} is suspended after ${failures} failures`;
    const detail = last_run?.source_message ?? last_run?.error_message ?? 'The last run failed.';
    return need('bad', title, detail, last_run?.completed_at);
  }
  if (schedule && !schedule.paused && completeAt && now - Date.parse(completeAt) > staleMs)
    return need('warn', `${name} is out of date`, 'Its last complete read is more than a day ago.', completeAt);
  return [];
}

function webhookNeed(webhook: WebhookHealthList['data'][number]): Need[] {
  const { id, active, dead, disabled_at, breaker, last_failure_at: failedAt } = webhook;
  const need = (tone: Tone, title: string, detail: string, at?: string): Need[] => [
    { key: id, icon: 'webhook', tone, title, detail, at, path: `/webhooks/${id}` },
  ];
  const host = hostOf(webhook.callback_url);
  if (!active && disabled_at)
    return need('bad', `Webhook ${host} was switched off`, webhook.disabled_reason ?? '', disabled_at);
  if (dead.count > 0)
    return need(
      'bad',
      dead.count === 1 ? `1 delivery to ${host} is dead` : `${formatCounted(dead)} deliveries to ${host} are dead`,
      'They are not sent again until you requeue them.',
      failedAt,
    );
  if (breaker.state !== 'closed')
    return need('warn', `Webhook ${host} does not answer`, 'Deliveries wait until it does.', failedAt);
  return [];
}

function findingNeeds(counts: Situation['findings']): Need[] {
  const kinds = Object.keys(findingTitles);
  const ordered = counts.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  return ordered.map(({ kind, ...counted }) => {
    const [one, many, tone] = findingTitles[kind];
    const title = `${formatCounted(counted)} ${counted.count === 1 ? one : many}`;
    return {
      key: kind,
      icon: 'finding',
      tone,
      title,
      detail: findingDetails[kind] ?? '',
      path: `/findings?kind=${kind}`,
    };
  });
}
