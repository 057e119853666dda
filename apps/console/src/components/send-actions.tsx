import type { WebhookDetails } from '@idsync/client/operator';
import { useState } from 'react';
import { Button } from './button';
import { ConfirmDialog } from './confirm-dialog';
import { notify } from './notices';

interface SendActionsProps {
  dead: WebhookDetails['dead'];
  /** As the text names it: "a receiver", "your receiver". */
  receiver: string;
  onTest: () => Promise<unknown>;
  onRequeue: () => Promise<unknown>;
  /** Reads again what these change. */
  refresh: () => Promise<unknown>;
}

/** Sends a test event, and sends dead deliveries again. */
export function SendActions({ dead, receiver, onTest, onRequeue, refresh }: SendActionsProps) {
  const [isAsked, setAsked] = useState(false);
  const test = async () => {
    try {
      await onTest();
      notify('A test event is on its way. Its delivery is the newest of the list.');
      await refresh();
    } catch (failure) {
      notify((failure as Error).message, 'bad');
    }
  };
  const requeue = async () => {
    await onRequeue();
    notify('Dead deliveries are sent again.');
    await refresh();
  };
  return (
    <>
      <Button onClick={test}>Send test event</Button>
      {dead.count > 0 && <Button onClick={() => setAsked(true)}>Requeue dead…</Button>}
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title="Send all dead deliveries again?"
        action="Requeue"
        onConfirm={requeue}
      >
        <p>Each keeps its webhook-id, so that {receiver} recognises an event that it has handled already.</p>
      </ConfirmDialog>
    </>
  );
}
