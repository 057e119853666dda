import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type AccountDetails, type MachineIdentityDetails, read, useTenantId } from '../data/api';
import { eventsQuery, useSourceName } from '../data/queries';
import { itemsOf, liveByEvents } from '../data/query-client';
import { buttonClass } from './button';
import { DataTable } from './data-table';
import styles from './detail-rows.module.css';
import { useEventColumns } from './event-columns';
import { IdLink, TenantLink } from './links';
import { EmptyState, ErrorState, Section } from './page';
import { Ago, Facts, StatusBadge } from './values';
import { shownValue, wordsOf } from './words';

type DetailedRecord = AccountDetails | MachineIdentityDetails;

/** A record as its source has it, with its findings and its events. `noun`: as the text names it. */
export function RecordDetails({ record, noun }: { record: DetailedRecord; noun: 'account' | 'machine' }) {
  return (
    <>
      <Findings recordId={record.id} noun={noun} />
      <Values record={record} />
      <Events recordId={record.id} identityId={record.identity_id} />
    </>
  );
}

/** Findings about a record; they are decided on the screen of findings. */
function Findings({ recordId, noun }: { recordId: string; noun: 'machine' | 'account' }) {
  const tenantId = useTenantId();
  const { data, error, refetch } = useQuery({
    ...read('findings', 'GET /findings', { tenantId }, { subject: recordId, limit: 20 }),
    ...liveByEvents,
  });
  const findings = data?.data ?? [];
  const list = `/findings?subject=${recordId}`;
  return (
    <Section
      title="Findings"
      actions={
        findings.length > 0 && (
          <TenantLink path={list} className={buttonClass({ look: 'quiet', small: true })}>
            Open in the list
          </TenantLink>
        )
      }
      flush
    >
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {data && findings.length === 0 && <EmptyState title={`No finding about this ${noun}`} />}
      <ul>
        {findings.map(({ id, kind, state, opened_at }) => (
          <li key={id} className={`${styles.row} ${styles.factor}`}>
            <TenantLink path={state === 'open' ? list : `${list}&state=${state}`} className={styles.title}>
              {wordsOf(kind)}
            </TenantLink>
            <span className={styles.aside}>
              <StatusBadge status={state} /> <Ago at={opened_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A record as its source has it. */
function Values({ record }: { record: DetailedRecord }) {
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

interface EventsProps {
  recordId: string;
  /** The identity that the record belongs to, whose events are found at any age. */
  identityId: string | undefined;
}

/** Events about a record: while it has belonged to its present identity, or else the newest ones. */
function Events({ recordId, identityId }: EventsProps) {
  const query = useInfiniteQuery(eventsQuery(useTenantId(), { subject_id: recordId, identity_id: identityId }));
  return (
    <DataTable
      title="Events"
      columns={useEventColumns({ withPerson: false })}
      // Without an identity, a request examines the newest events of the tenant; going on would read all of them.
      query={identityId ? query : { ...query, hasNextPage: false }}
      empty={{
        title: 'No event',
        text: identityId
          ? 'Its events are no longer kept, or belong to an earlier person.'
          : 'It has no event among the newest ones of the tenant.',
      }}
    >
      {identityId && itemsOf(query.data).length > 0 && (
        <p className={styles.note}>Events of the time in which it has belonged to its present person.</p>
      )}
    </DataTable>
  );
}
