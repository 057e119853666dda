import { Link } from '@tanstack/react-router';
import { Facts } from '../../components/facts';
import { Section } from '../../components/page';
import { shownValue } from '../../components/shown-value';
import { EmptyState } from '../../components/states';
import type { MachineIdentityDetails } from '../../data/api';
import styles from './machine.module.css';

interface MachineValuesProps {
  machine: MachineIdentityDetails;
  sourceName: string;
}

/** The record of the machine in its source. */
export function MachineValues({ machine: { connector_id, external_id, values }, sourceName }: MachineValuesProps) {
  const fields = Object.entries(values).sort(([a], [b]) => a.localeCompare(b));
  return (
    <>
      <Section title="Source record">
        <Facts
          items={[
            [
              'Source',
              <Link
                key="source"
                from="/$tenantId/machines/$machineId"
                to="/$tenantId/sources/$connectorId"
                params={{ connectorId: connector_id }}
                dir="auto"
              >
                {sourceName}
              </Link>,
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
              <span className={styles.field}>{field.replace('attributes.', '')}</span>
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
