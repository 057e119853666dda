import { useSourceName } from '../data/connectors';
import styles from './detail-rows.module.css';
import { Facts } from './facts';
import { Section } from './page';
import { shownValue } from './shown-value';
import { EmptyState } from './states';
import { IdLink } from './tenant-link';

interface RecordValuesProps {
  record: { connector_id: string; external_id: string; values: Record<string, string[]> };
}

/** A record as its source has it. */
export function RecordValues({ record }: RecordValuesProps) {
  const sourceName = useSourceName();
  const { connector_id, external_id, values } = record;
  const fields = Object.entries(values)
    .map(([name, list]) => [name.replace('attributes.', ''), list] as const)
    .sort(([a], [b]) => a.localeCompare(b));
  return (
    <>
      <Section title="Source record">
        <Facts
          items={[
            [
              'Source',
              <IdLink key="source" id={connector_id} dir="auto">
                {sourceName(connector_id)}
              </IdLink>,
            ],
            ['External id', external_id],
          ]}
        />
      </Section>
      <Section title="Values" flush>
        {fields.length === 0 && <EmptyState title="No values">The source says nothing else about it.</EmptyState>}
        <ul>
          {fields.map(([field, list]) => (
            <li key={field} className={styles.row}>
              <span className={styles.field}>{field}</span>
              <span className={styles.value} dir="auto">
                {shownValue(list)}
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
