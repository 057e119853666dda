import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ConfirmButton } from '../../components/dialog';
import { EmptyState, Section } from '../../components/page';
import { Ago, type Change, FieldDiff, IdChip, StatusBadge, Time } from '../../components/values';
import { wordsOf } from '../../components/words';
import { call, type LifecycleEvent, read, useTenantId } from '../../data/api';
import { operationDone } from '../../data/operations';
import { useSourceName } from '../../data/queries';
import { useMay } from '../../data/session';
import styles from './history.module.css';

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

const revertible: Record<string, string> = {
  'identity.merge': 'merge',
  'identity.split': 'split',
  'case.resolve': 'decision about the case',
};

/** Reverts the operation of an event, if it can be reverted and the operator may. */
function RevertButton({ operationId }: { operationId: string }) {
  const tenantId = useTenantId();
  const { data: operation } = useQuery(read('operations', 'GET /operations/{operationId}', { tenantId, operationId }));
  const mayRevert = useMay('operator');
  const what = operation && revertible[operation.type];
  if (!what || operation.status !== 'done') return null;
  if (operation.reverted_by) return <StatusBadge tone="neutral">Reverted</StatusBadge>;
  if (!mayRevert) return null;
  return (
    <ConfirmButton
      label={`Revert the ${what}…`}
      small
      title={`Revert the ${what}?`}
      action="Revert"
      reason="required"
      refresh={[]}
      onConfirm={async (reason) => {
        const reverting = await call('POST /operations/{operationId}/revert', { tenantId, operationId }, { reason });
        await operationDone(tenantId, reverting, `The ${what} was reverted.`);
      }}
    >
      <p>Every record moves back to where it was before. It is refused if one of them has moved since.</p>
      {operation.reason && (
        <p>
          The reason for the {what} was: <q dir="auto">{operation.reason}</q>
        </p>
      )}
    </ConfirmButton>
  );
}
