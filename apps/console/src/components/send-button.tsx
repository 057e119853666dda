import type { ComponentProps } from 'react';
import { Button } from './button';
import { notify } from './notices';

/** A button whose request needs no question. Its error is a notice. */
export function SendButton({
  onSend,
  ...button
}: Omit<ComponentProps<typeof Button>, 'onClick'> & { onSend: () => Promise<unknown> }) {
  const send = () => onSend().catch((failure: Error) => notify(failure.message, 'bad'));
  return <Button {...button} onClick={send} />;
}
