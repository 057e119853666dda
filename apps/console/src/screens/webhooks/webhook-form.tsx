import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../components/button';
import { Section } from '../../components/page';
import { WebhookFields } from '../../components/webhook-fields';
import type { WebhookInput } from '../../components/webhook-input';
import styles from './webhook-form.module.css';

interface WebhookFormProps {
  initial: WebhookInput;
  headerNames?: readonly string[];
  action: string;
  /** A link that leaves the form. */
  cancel: ReactNode;
  /** An error is shown below the fields, which keep their input. */
  onSubmit: (input: WebhookInput) => Promise<unknown>;
}

export function WebhookForm({ initial, headerNames, action, cancel, onSubmit }: WebhookFormProps) {
  const [input, setInput] = useState(initial);
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const isReady = input.address.trim() !== '' && input.events.length > 0;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isSending) return;
    setSending(true);
    setError(undefined);
    try {
      await onSubmit(input);
    } catch (failure) {
      setError((failure as Error).message);
    } finally {
      setSending(false);
    }
  };
  return (
    <Section title="Settings" untitled>
      <form className={styles.form} onSubmit={submit}>
        <WebhookFields
          input={input}
          headerNames={headerNames}
          onChange={(changed) => setInput((old) => ({ ...old, ...changed }))}
        />
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
        <div className={styles.actions}>
          {cancel}
          <Button type="submit" look="primary" disabled={!isReady || isSending}>
            {isSending ? 'Sending…' : action}
          </Button>
        </div>
      </form>
    </Section>
  );
}
