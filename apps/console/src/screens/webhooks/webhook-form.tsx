import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../components/button';
import { FormActions, FormError } from '../../components/form-parts';
import { Section } from '../../components/page';
import { useSending } from '../../components/use-sending';
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
  const { error, isSending, send } = useSending();
  const isReady = input.address.trim() !== '' && input.events.length > 0;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isSending) return;
    await send(() => onSubmit(input));
  };
  return (
    <Section title="Settings" untitled>
      <form className={styles.form} onSubmit={submit}>
        <WebhookFields
          input={input}
          headerNames={headerNames}
          onChange={(changed) => setInput((old) => ({ ...old, ...changed }))}
        />
        <FormError>{error}</FormError>
        <FormActions>
          {cancel}
          <Button type="submit" look="primary" disabled={!isReady || isSending}>
            {isSending ? 'Sending…' : action}
          </Button>
        </FormActions>
      </form>
    </Section>
  );
}
