import type { WebhookDetails } from '@idsync/client/operator';
import type { ReactNode } from 'react';
import { DeliveryChart } from './delivery-chart';
import { healthOf } from './describe-webhook';
import { Facts } from './facts';
import { formatCount, formatDuration } from './format-time';
import { Section } from './page';
import { StatTile, StatTiles } from './stat-tile';
import { wordsOf } from './status';
import { Ago, Time } from './time';
import styles from './webhook-overview.module.css';

/** Health of a webhook, why it does not receive its events, and its settings. */
export function WebhookOverview({ webhook, actions }: { webhook: WebhookDetails; actions?: ReactNode }) {
  const { pending, dead, statistics, last_error } = webhook;
  const { tone, word, reason } = healthOf(webhook);
  return (
    <>
      {reason && (
        <div className={`${styles.reason} ${styles[tone]}`} role="note">
          <strong>{word}.</strong> <span dir="auto">{reason}</span>
          {last_error && (
            <span className={styles.last} dir="auto">
              Last error <Ago at={last_error.at} />: {last_error.error ?? wordsOf(last_error.outcome)}
            </span>
          )}
        </div>
      )}
      <StatTiles>
        <StatTile
          label="Success, 24 hours"
          value={percentOf(statistics.success_rate)}
          about={`${formatCount(statistics.attempts)} attempts`}
        />
        <StatTile label="Pending" value={formatCount(pending.count, !pending.exact)} />
        <StatTile label="Dead" value={formatCount(dead.count, !dead.exact)} tone={dead.count > 0 ? 'bad' : undefined} />
        <StatTile label="Last success" value={webhook.last_success_at ? <Ago at={webhook.last_success_at} /> : '—'} />
        <StatTile
          label="Last failure"
          value={webhook.last_failure_at ? <Ago at={webhook.last_failure_at} /> : '—'}
          about={webhook.failures > 0 ? `${formatCount(webhook.failures)} since the last success` : undefined}
        />
      </StatTiles>
      <Section title="Attempts of the last 24 hours">
        <DeliveryChart hours={statistics.hours} />
      </Section>
      <Section title="Endpoint" actions={actions}>
        <Facts
          items={[
            ['Address', webhook.callback_url],
            ['Events', webhook.events.join(', ')],
            ['Filter', webhook.filter && <code>{JSON.stringify(webhook.filter)}</code>],
            ['Payload', webhook.payload === 'thin' ? 'Thin: ids only' : undefined],
            ['Additional headers', webhook.header_names?.join(', ')],
            [
              'Duration of attempts',
              statistics.duration_ms &&
                `${formatDuration(statistics.duration_ms.p50)}, slowest 1 %: ${formatDuration(statistics.duration_ms.p99)}`,
            ],
            ['Switched off', webhook.disabled_at && <Time at={webhook.disabled_at} />],
            [
              'Next attempt',
              webhook.breaker.state === 'open' && webhook.breaker.open_until && (
                <Time at={webhook.breaker.open_until} />
              ),
            ],
          ]}
        />
      </Section>
    </>
  );
}

/** Rounded down, so that 100 % means all. */
function percentOf(rate: number | undefined): string {
  return rate === undefined ? '—' : `${Math.floor(rate * 1_000) / 10} %`;
}
