import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BodyView } from '../../components/body-view';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Dialog } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { IdChip } from '../../components/id-chip';
import { JsonView } from '../../components/json-view';
import { notify } from '../../components/notices';
import { ErrorState, Loading } from '../../components/states';
import { Time } from '../../components/time';
import { useMay } from '../../data/access';
import { answerOf, api } from '../../data/api';
import styles from './system.module.css';
import { deadLetterQuery } from './system-queries';

interface DeadLetterDialogProps {
  id: string;
  tenantName: (id: string | undefined) => string;
  onClose: () => void;
}

/** One dead letter with its message, to send it again or to discard it. */
export function DeadLetterDialog({ id, tenantName, onClose }: DeadLetterDialogProps) {
  const { data: letter, error, refetch } = useQuery(deadLetterQuery(id));
  const client = useQueryClient();
  const mayAct = useMay('admin');
  const [asked, setAsked] = useState<'requeue' | 'discard'>();
  const params = { path: { deadLetterId: id } };
  const done = async (text: string) => {
    notify(text);
    onClose();
    await Promise.all(['dead-letters', 'system'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  const requeue = async () => {
    await answerOf(api.POST('/admin/v1/system/dead-letters/{deadLetterId}/requeue', { params }));
    await done('The message is sent again.');
  };
  const discard = async (reason = '') => {
    await answerOf(api.POST('/admin/v1/system/dead-letters/{deadLetterId}/discard', { params, body: { reason } }));
    await done('The message is discarded.');
  };
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
          {mayAct && (
            <div className={styles.acts}>
              <Button look="danger" onClick={() => setAsked('discard')}>
                Discard…
              </Button>
              {letter.can_requeue && (
                <Button look="primary" onClick={() => setAsked('requeue')}>
                  Send again…
                </Button>
              )}
            </div>
          )}
        </div>
      )}
      <ConfirmDialog
        open={asked === 'requeue'}
        onOpenChange={() => setAsked(undefined)}
        title="Send this message again?"
        action="Send again"
        onConfirm={requeue}
      >
        <p>It begins with its first attempt. If its cause is not fixed, it returns to the dead letters.</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'discard'}
        onOpenChange={() => setAsked(undefined)}
        title="Discard this message?"
        action="Discard"
        danger
        reason="required"
        onConfirm={discard}
      >
        <p>It is never handled. This cannot be undone.</p>
      </ConfirmDialog>
    </Dialog>
  );
}
