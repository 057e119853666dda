import type { WebhookDetails } from '@idsync/client/operator';
import styles from './delivery-chart.module.css';
import { formatCount } from './format-time';

type Hours = WebhookDetails['statistics']['hours'];

const width = 480;
const height = 72;
const gap = 2;

/** Attempts by hour: what was delivered, and above it what failed. */
export function DeliveryChart({ hours }: { hours: Hours }) {
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

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
