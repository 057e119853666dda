import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BodyView } from '../../components/body-view';
import { ConfirmButton } from '../../components/confirm-dialog';
import { Dialog } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { IdChip } from '../../components/id-chip';
import { JsonView } from '../../components/json-view';
import { ErrorState, Loading } from '../../components/states';
import { Time } from '../../components/time';
import { useMay } from '../../data/access';
import { callInstallation } from '../../data/api';
import styles from './system.module.css';
import { type DeadLetterDetails, deadLetterQuery } from './system-queries';

interface DeadLetterDialogProps {
  id: string;
  tenantName: (id: string | undefined) => string;
  onClose: () => void;
}

/** One dead letter with its message, to send it again or to discard it. */
export function DeadLetterDialog({ id, tenantName, onClose }: DeadLetterDialogProps) {
  const { data: letter, error, refetch } = useQuery(deadLetterQuery(id));
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
