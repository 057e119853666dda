import { type ReactNode, useState } from 'react';
import { Form } from '../../components/form';
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
  onSubmit: (input: WebhookInput) => Promise<unknown>;
}

export function WebhookForm({ initial, headerNames, action, cancel, onSubmit }: WebhookFormProps) {
  const [input, setInput] = useState(initial);
  return (
    <Section title="Settings" untitled>
      <Form
        className={styles.form}
        action={action}
        isReady={input.address.trim() !== '' && input.events.length > 0}
        cancel={cancel}
        onSubmit={() => onSubmit(input)}
      >
        <WebhookFields
          input={input}
          headerNames={headerNames}
          onChange={(changed) => setInput((old) => ({ ...old, ...changed }))}
        />
      </Form>
    </Section>
  );
}
