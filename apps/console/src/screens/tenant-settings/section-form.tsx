import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../components/button';
import { FormActions, FormError } from '../../components/form-parts';
import { Section } from '../../components/page';
import { useSending } from '../../components/use-sending';
import styles from './settings.module.css';

interface SectionFormProps {
  title: string;
  about: string;
  mayChange: boolean;
  isChanged: boolean;
  onDiscard: () => void;
  /** An error is shown below the fields, which keep their input. */
  onSave: () => Promise<unknown>;
  children: ReactNode;
}

/** Settings that are saved together. */
export function SectionForm({ title, about, mayChange, isChanged, onDiscard, onSave, children }: SectionFormProps) {
  const { error, isSending, send, clearError } = useSending();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!isChanged || isSending) return;
    await send(onSave);
  };
  return (
    <Section title={title}>
      <form className={styles.form} onSubmit={save}>
        <p className={styles.about}>{about}</p>
        {children}
        <FormError>{error}</FormError>
        {mayChange && (
          <FormActions>
            <Button
              disabled={!isChanged || isSending}
              onClick={() => {
                clearError();
                onDiscard();
              }}
            >
              Discard
            </Button>
            <Button type="submit" look="primary" disabled={!isChanged || isSending}>
              {isSending ? 'Saving…' : 'Save'}
            </Button>
          </FormActions>
        )}
      </form>
    </Section>
  );
}
