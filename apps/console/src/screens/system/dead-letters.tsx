import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable, rowLink } from '../../components/data-table';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { SelectFilter } from '../../components/fields';
import { BodyView, JsonView } from '../../components/json-view';
import { ErrorState, Loading } from '../../components/page';
import { Facts, IdChip, Time } from '../../components/values';
import { callInstallation, type InstallationAnswer } from '../../data/api';
import { tenantsQuery } from '../../data/queries';
import { cursorPages, live } from '../../data/query-client';
import type { SystemSearch } from '../../data/searches';
import { useMay } from '../../data/session';
import type { Queue } from './describe-system';
import styles from './system.module.css';

type DeadLetter = InstallationAnswer<'GET /system/dead-letters'>['data'][number];
type DeadLetterDetails = InstallationAnswer<'GET /system/dead-letters/{deadLetterId}'>;

const columnsOf = (tenantName: (id: string | undefined) => string): readonly Column<DeadLetter>[] => [
  {
    header: 'Message',
    width: 'minmax(0, 1.4fr)',
    cell: ({ id, type }) => (
      <Link
        from="/$tenantId/system"
        to="."
        search={(old) => ({ ...old, letter: id })}
        className={rowLink}
        resetScroll={false}
      >
        {type}
      </Link>
    ),
  },
  { header: 'Queue', width: 'minmax(0, 1.2fr)', from: 'wide', cell: 'queue' },
  { header: 'Tenant', from: 'medium', cell: ({ tenant_id }) => tenantName(tenant_id) },
  { header: 'Error', width: 'minmax(0, 2fr)', from: 'medium', cell: 'reason' },
  { header: 'Attempts', width: '80px', align: 'end', from: 'wide', cell: 'attempts' },
  { header: 'Given up', as: 'ago', cell: 'dead_at' },
];

interface DeadLettersProps extends SystemSearch {
  queues: readonly Queue[];
  onSearch: (change: SystemSearch) => unknown;
}

/** Messages that failed as often as their queue allows, of all queues or one. */
export function DeadLetters({ queues, queue, letter, onSearch }: DeadLettersProps) {
  const query = useInfiniteQuery({
    ...cursorPages(['dead-letters', queue], (cursor) =>
      callInstallation('GET /system/dead-letters', {}, { queue: queue as Queue['name'], limit: 50, cursor }),
    ),
    ...live,
  });
  const { data: tenants } = useQuery(tenantsQuery);
  const tenantName = (id: string | undefined) =>
    (id && (tenants?.data.find((tenant) => tenant.id === id)?.name ?? id)) || '—';
  return (
    <DataTable
      title="Dead letters"
      columns={columnsOf(tenantName)}
      query={query}
      empty={{
        title: queue ? 'No dead letter of this queue' : 'No dead letter',
        text: 'A message that fails as often as its queue allows is kept here, until it is sent again or discarded.',
      }}
      actions={
        <SelectFilter
          label="Queue"
          any="Any"
          value={queue}
          choices={queues.map(({ name }) => ({ value: name, label: name }))}
          onChange={(chosen) => onSearch({ queue: chosen })}
        />
      }
    >
      {letter && (
        <DeadLetterDialog id={letter} tenantName={tenantName} onClose={() => onSearch({ letter: undefined })} />
      )}
    </DataTable>
  );
}

interface DeadLetterDialogProps {
  id: string;
  tenantName: (id: string | undefined) => string;
  onClose: () => void;
}

/** One dead letter with its message, to send it again or to discard it. */
function DeadLetterDialog({ id, tenantName, onClose }: DeadLetterDialogProps) {
  const {
    data: letter,
    error,
    refetch,
  } = useQuery({
    // Not a part of the list's key: a letter that was sent again or discarded is not read again.
    queryKey: ['dead-letter', id],
    queryFn: () => callInstallation('GET /system/dead-letters/{deadLetterId}', { deadLetterId: id }),
  });
  const mayAct = useMay('admin');
  return (
    <Dialog open onOpenChange={onClose} title={letter?.type ?? 'Dead letter'} wide>
      {error ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : !letter ? (
        <Loading rows={4} />
      ) : (
        <div className={styles.letter}>
          <Facts
            items={[
              ['Error', letter.reason],
              ['Queue', letter.queue],
              ['Tenant', tenantName(letter.tenant_id)],
              ['Attempts', letter.attempts],
              ['Sent', letter.sent_at && <Time at={letter.sent_at} />],
              ['Given up', <Time key="dead" at={letter.dead_at} />],
              ['Message', letter.message_id && <IdChip id={letter.message_id} />],
              ['Trace', letter.trace_id && <IdChip id={letter.trace_id} />],
            ]}
          />
          {typeof letter.message === 'string' ? (
            <BodyView label="Message" body={letter.message} />
          ) : (
            <JsonView value={letter.message} label="Message" />
          )}
          {mayAct && <Acts letter={letter} onClose={onClose} />}
        </div>
      )}
    </Dialog>
  );
}

function Acts({ letter: { id, can_requeue }, onClose }: { letter: DeadLetterDetails; onClose: () => void }) {
  const client = useQueryClient();
  const ids = { deadLetterId: id };
  const close = () => {
    onClose();
    void client.invalidateQueries({ queryKey: ['dead-letters'] });
  };
  const after = { refresh: ['system'], onDone: close };
  return (
    <div className={styles.acts}>
      <ConfirmButton
        {...after}
        label="Discard…"
        look="danger"
        title="Discard this message?"
        action="Discard"
        danger
        reason="required"
        done="The message is discarded."
        onConfirm={(reason = '') =>
          callInstallation('POST /system/dead-letters/{deadLetterId}/discard', ids, { reason })
        }
      >
        <p>It is never handled. This cannot be undone.</p>
      </ConfirmButton>
      {can_requeue && (
        <ConfirmButton
          {...after}
          label="Send again…"
          look="primary"
          title="Send this message again?"
          action="Send again"
          done="The message is sent again."
          onConfirm={() => callInstallation('POST /system/dead-letters/{deadLetterId}/requeue', ids)}
        >
          <p>It begins with its first attempt. If its cause is not fixed, it returns to the dead letters.</p>
        </ConfirmButton>
      )}
    </div>
  );
}
