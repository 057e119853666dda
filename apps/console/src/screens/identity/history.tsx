import { Link } from '@tanstack/react-router';
import { type Change, FieldDiff } from '../../components/field-diff';
import { IdChip } from '../../components/id-chip';
import { Section } from '../../components/page';
import { EmptyState } from '../../components/states';
import { wordsOf } from '../../components/status';
import { Ago, Time } from '../../components/time';
import type { LifecycleEvent } from '../../data/api';
import { useSourceName } from '../../data/connectors';
import styles from './history.module.css';
import { RevertButton } from './revert-button';

interface Details {
  id?: string;
  job_id?: string;
  operation_id?: string;
  reason?: string;
  changes?: Change[];
}

/** All events of the person, newest first. Events of one moment are one entry. */
export function History({ events }: { events: readonly LifecycleEvent[] }) {
  const moments = Map.groupBy(events.toReversed(), ({ occurred_at }) => occurred_at);
  return (
    <Section title="History" untitled>
      {events.length === 0 && <EmptyState title="No events">Nothing is known about this person’s past.</EmptyState>}
      <ol className={styles.moments}>
        {[...moments].map(([at, happened]) => (
          <li key={at} className={styles.moment}>
            <header className={styles.at}>
              <Time at={at} />
              <span className={styles.ago}>
                <Ago at={at} />
              </span>
              <Link from="/$tenantId/people/$identityId" to="." search={{ at, view: undefined }}>
                See the person then
              </Link>
            </header>
            <ul className={styles.events}>
              {happened.toReversed().map((event) => (
                <HistoryEvent key={event.id} event={event} />
              ))}
            </ul>
            {operationsOf(happened).map((operationId) => (
              <p key={operationId}>
                <RevertButton operationId={operationId} />
              </p>
            ))}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The operations of the events of one moment, each once. */
function operationsOf(events: readonly LifecycleEvent[]): string[] {
  return [...new Set(events.flatMap(({ details }) => (details as Details).operation_id ?? []))];
}

function HistoryEvent({ event }: { event: LifecycleEvent }) {
  const sourceName = useSourceName();
  const { id, changes = [], reason, job_id, operation_id } = event.details as Details;
  const sources = [...new Set(changes.flatMap(({ source }) => source ?? []))];
  // One source for all changes is named once.
  const named = changes.map(({ source, ...change }) =>
    sources.length > 1 && source ? { ...change, source: sourceName(source) } : change,
  );
  return (
    <li className={styles.event}>
      <p className={styles.type}>
        {wordsOf(event.event_type)}
        {sources.length === 1 && <span className={styles.source}>{sourceName(sources[0] as string)}</span>}
        {reason && <span className={styles.reason}>{reason}</span>}
      </p>
      {named.length > 0 && <FieldDiff changes={named} />}
      <p className={styles.ids}>
        {id && <IdChip id={id} />}
        {(job_id ?? operation_id) && <IdChip id={(job_id ?? operation_id) as string} />}
      </p>
    </li>
  );
}
