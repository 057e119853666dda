import type { WebhookDetails } from '@idsync/client/operator';
import { ConfirmButton } from './confirm-dialog';
import { notify } from './notices';
import { SendButton } from './send-button';

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
  const test = async () => {
    await onTest();
    notify('A test event is on its way. Its delivery is the newest of the list.');
    await refresh();
  };
  return (
    <>
      <SendButton onSend={test}>Send test event</SendButton>
      {dead.count > 0 && (
        <ConfirmButton
          label="Requeue dead…"
          title="Send all dead deliveries again?"
          action="Requeue"
          done="Dead deliveries are sent again."
          onDone={refresh}
          onConfirm={onRequeue}
        >
          <p>Each keeps its webhook-id, so that {receiver} recognises an event that it has handled already.</p>
        </ConfirmButton>
      )}
    </>
  );
}
