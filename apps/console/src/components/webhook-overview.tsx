import type { WebhookDetails } from '@idsync/client/operator';
import type { ReactNode } from 'react';
import { healthOf } from './describe-webhook';
import { formatCount, formatCounted, formatDuration, sumOf } from './format-time';
import { Section, StatTile, StatTiles } from './page';
import { Ago, Facts, Time } from './values';
import styles from './webhook-overview.module.css';
import { wordsOf } from './words';

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
        <StatTile label="Pending" value={formatCounted(pending)} />
        <StatTile label="Dead" value={formatCounted(dead)} tone={dead.count > 0 ? 'bad' : undefined} />
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
            ['Duration of attempts', durationOf(statistics)],
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

type Statistics = WebhookDetails['statistics'];
type Hours = Statistics['hours'];

function durationOf({ duration_ms: duration, attempts }: Statistics): string | undefined {
  if (!duration) return undefined;
  const newest = duration.attempts < attempts ? `, of the newest ${formatCount(duration.attempts)}` : '';
  return `${formatDuration(duration.p50)}, slowest 1 %: ${formatDuration(duration.p99)}${newest}`;
}

const width = 480;
const height = 72;
const gap = 2;

/** Attempts by hour: what was delivered, and above it what failed. */
function DeliveryChart({ hours }: { hours: Hours }) {
  const greatest = Math.max(...hours.map(({ delivered, failed }) => delivered + failed), 1);
  const step = width / Math.max(hours.length, 1);
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / greatest) * height));
  const delivered = formatCount(sumOf(hours.map((hour) => hour.delivered)));
  const failed = formatCount(sumOf(hours.map((hour) => hour.failed)));
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        <span className={styles.delivered}>{delivered} delivered</span>
        <span className={styles.failed}>{failed} failed</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height + 1}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Attempts in the last 24 hours: ${delivered} delivered, ${failed} failed`}
      >
        <rect className={styles.axis} x={0} y={height} width={width} height={1} />
        {hours.map((hour, index) => {
          const below = heightOf(hour.delivered);
          const above = heightOf(hour.failed);
          const place = { x: index * step + gap / 2, width: step - gap };
          return (
            <g key={hour.at}>
              <title>{`${hour.at.slice(11, 16)} UTC: ${hour.delivered} delivered, ${hour.failed} failed`}</title>
              <rect className={styles.hour} x={index * step} y={0} width={step} height={height} />
              <rect className={styles.deliveredBar} {...place} y={height - below} height={below} />
              <rect className={styles.failedBar} {...place} y={Math.max(height - below - above, 0)} height={above} />
            </g>
          );
        })}
      </svg>
      <div className={styles.ends}>
        <span>24 hours ago</span>
        <span>now</span>
      </div>
    </figure>
  );
}
