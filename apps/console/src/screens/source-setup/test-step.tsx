import { queryOptions, useQuery } from '@tanstack/react-query';
import { Button } from '../../components/button';
import { EmptyState, ErrorState, Loading } from '../../components/page';
import { StatusBadge } from '../../components/values';
import { sentenceOf, shownValue, wordsOf } from '../../components/words';
import { type ConnectorProbe, call, useTenantId } from '../../data/api';
import styles from './setup.module.css';

interface TestStepProps {
  sourceId: string;
  /** The source has a mapping, given or by default, so that records can be shown as mapped. */
  isMapped: boolean;
}

/** Whether the source can be read, its fields, and what a run would not see. */
export function TestStep({ sourceId, isMapped }: TestStepProps) {
  const tenantId = useTenantId();
  const found = useQuery(probeQuery(tenantId, sourceId, 'discover'));
  const test = useQuery({ ...probeQuery(tenantId, sourceId, 'test'), enabled: isMapped });
  const isTesting = found.isFetching || test.isFetching;
  const again = () => Promise.all([found.refetch(), ...(isMapped ? [test.refetch()] : [])]);
  if (isTesting)
    return (
      <>
        <p className={styles.hint}>The source is asked for its first records. This takes at most 22 seconds.</p>
        <Loading rows={4} />
      </>
    );
  if (found.error) return <ErrorState error={found.error} onRetry={again} />;
  const fields = found.data?.fields ?? [];
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        <StatusBadge tone={found.data?.status === 'failed' ? 'bad' : 'ok'}>
          {found.data?.status === 'failed' ? 'Not connected' : `Connected, ${fields.length} fields found`}
        </StatusBadge>
        <Button small onClick={again}>
          Test again
        </Button>
      </div>
      {found.data?.status === 'failed' && <ProbeFailure probe={found.data} />}
      {test.error && <ErrorState error={test.error} />}
      {found.data?.status !== 'failed' && test.data && <MappedRecords probe={test.data} />}
      {found.data?.status !== 'failed' && !isMapped && fields.length === 0 && (
        <EmptyState title="No field found">The source can be reached, but has no record.</EmptyState>
      )}
      {!isMapped && fields.length > 0 && (
        <ul className={styles.found} aria-label="Fields of the source">
          {fields.map(({ name, examples }) => (
            <li key={name}>
              <code dir="auto">{name}</code>
              <span dir="auto">{examples.join(' · ') || '—'}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

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

/** Why the source could not be read, and the text of the source itself. */
function ProbeFailure({ probe }: { probe: ConnectorProbe }) {
  return (
    <div role="alert" className={styles.failure}>
      <p className={styles.failureTitle}>
        {probe.error_code ? wordsOf(probe.error_code) : 'The source could not be read'}
      </p>
      <p>{probe.error}</p>
      {probe.source_message && (
        <p>
          The source says: <code dir="auto">{probe.source_message}</code>
        </p>
      )}
    </div>
  );
}

type ProbeKind = 'test' | 'discover';

const everyMs = 1_000;

/** Calls the source, and waits for the result: a slow source answers after the request. */
async function probe(tenantId: string, connectorId: string, kind: ProbeKind) {
  const ids = { tenantId, connectorId };
  let current =
    kind === 'test'
      ? await call('POST /connectors/{connectorId}/test', ids)
      : await call('POST /connectors/{connectorId}/discover', ids);
  while (current.status === 'queued') {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    current = await call('GET /connectors/{connectorId}/probes/{probeId}', { ...ids, probeId: current.probe_id });
  }
  return current;
}

/** The result of the last test or discovery. It is repeated only when it is asked for. */
export const probeQuery = (tenantId: string, connectorId: string, kind: ProbeKind) =>
  queryOptions({
    queryKey: ['probes', tenantId, connectorId, kind],
    queryFn: () => probe(tenantId, connectorId, kind),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
