import { formatCount } from '../../components/format-time';
import { Section } from '../../components/page';
import { Sparkline } from '../../components/sparkline';
import { EmptyState } from '../../components/states';
import { TenantLink } from '../../components/tenant-link';
import type { Activity as ActivityData } from '../../data/api';
import styles from './activity.module.css';

/** Events and deliveries of the last 24 hours, by hour. */
export function Activity({ activity: { hours, complete } }: { activity: ActivityData }) {
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
            <span className={styles.sum}>
              {formatCount(sumOf(values))}
              {!complete && '+'}
            </span>
            <Sparkline values={values} label={`${label} in the last 24 hours`} tone={tone} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
