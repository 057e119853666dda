import { shownValue } from '../../components/shown-value';
import type { ConnectorProbe } from '../../data/api';
import { ProbeFailure } from './probe-failure';
import styles from './setup.module.css';

/** The first records as they are mapped, what is wrong with them, and what a run would not see. */
export function MappedRecords({ probe }: { probe: ConnectorProbe }) {
  if (probe.status === 'failed') return <ProbeFailure probe={probe} />;
  const { records = [], errors = [], warnings = [] } = probe;
  const fields = [...new Set(records.flatMap((record) => Object.keys(record.fields)))];
  return (
    <>
      {warnings.length > 0 && (
        <section className={styles.warnings} aria-label="What a run will not see">
          <h3>What a run will not see</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning} dir="auto">
                {sentenceOf(warning)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {errors.length > 0 && (
        <section className={styles.failure} aria-label="Records that fail">
          <p className={styles.failureTitle}>Records that fail</p>
          <ul>
            {errors.map(({ line, external_id, message }) => (
              <li key={`${line} ${external_id} ${message}`} dir="auto">
                {[external_id ?? (line === undefined ? undefined : `Line ${line}`), message].filter(Boolean).join(': ')}
              </li>
            ))}
          </ul>
        </section>
      )}
      {records.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
        <section className={styles.records} tabIndex={0} aria-label="First records, as mapped">
          <table>
            <thead>
              <tr>
                <th scope="col">external_id</th>
                {fields.map((field) => (
                  <th key={field} scope="col">
                    {field}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <tr key={record.external_id}>
                  <th scope="row" dir="auto">
                    {record.external_id}
                  </th>
                  {fields.map((field) => (
                    <td key={field} dir="auto">
                      {shownValue(record.fields[field])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {records.length === 0 && errors.length === 0 && <p className={styles.hint}>The source has no record.</p>}
    </>
  );
}

function sentenceOf(warning: string): string {
  return `${warning.charAt(0).toUpperCase()}${warning.slice(1)}`;
}
