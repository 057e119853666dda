import { formatCount, sumOf } from '../../components/format-time';
import { TenantLink } from '../../components/links';
import { EmptyState, Section } from '../../components/page';
import type { Activity as ActivityData } from '../../data/api';
import styles from './activity.module.css';

/** Events and deliveries of the last 24 hours, by hour. */
export function Activity({ activity: { hours } }: { activity: ActivityData }) {
  const series = [
    { label: 'Events', path: '/events?since=24h', values: hours.map(({ events }) => events) },
    { label: 'Delivered', path: '/webhooks', values: hours.map(({ delivered }) => delivered) },
    { label: 'Failed attempts', path: '/webhooks', values: hours.map(({ failed }) => failed), tone: 'bad' as const },
  ];
  if (series.every(({ values }) => sumOf(values) === 0))
    return (
      <Section title="Last 24 hours" flush>
        <EmptyState title="Nothing has happened">No event occurred, and nothing was delivered.</EmptyState>
      </Section>
    );
  return (
    <Section title="Last 24 hours" flush>
      <ul className={styles.series}>
        {series.map(({ label, path, values, tone }) => (
          <li key={label} className={styles.one}>
            <TenantLink path={path} className={styles.label}>
              {label}
            </TenantLink>
            <span className={styles.sum}>{formatCount(sumOf(values))}</span>
            <Sparkline values={values} label={`${label} in the last 24 hours`} tone={tone} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface SparklineProps {
  values: readonly number[];
  /** Its content, for screen readers: `Changes in the last 24 hours`. */
  label: string;
  tone?: 'accent' | 'bad';
}

const width = 160;
const height = 32;

/** Bars of a short time series, whose heights are relative to the greatest one. */
function Sparkline({ values, label, tone = 'accent' }: SparklineProps) {
  const greatest = Math.max(...values, 1);
  const step = width / Math.max(values.length, 1);
  return (
    <svg
      className={`${styles.sparkline} ${styles[tone]}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${sumOf(values)} in total`}
    >
      {values.map((value, index) => {
        const bar = value === 0 ? 1 : Math.max(2, (value / greatest) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
            key={index}
            className={value === 0 ? styles.none : undefined}
            x={index * step + 0.5}
            y={height - bar}
            width={Math.max(step - 1, 0.5)}
            height={bar}
          />
        );
      })}
    </svg>
  );
}
