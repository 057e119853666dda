import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../components/button';
import { Section } from '../../components/page';
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
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!isChanged || isSending) return;
    setSending(true);
    setError(undefined);
    try {
      await onSave();
    } catch (failure) {
      setError((failure as Error).message);
    } finally {
      setSending(false);
    }
  };
  return (
    <Section title={title}>
      <form className={styles.form} onSubmit={save}>
        <p className={styles.about}>{about}</p>
        {children}
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
        {mayChange && (
          <div className={styles.actions}>
            <Button
              disabled={!isChanged || isSending}
              onClick={() => {
                setError(undefined);
                onDiscard();
              }}
            >
              Discard
            </Button>
            <Button type="submit" look="primary" disabled={!isChanged || isSending}>
              {isSending ? 'Saving…' : 'Save'}
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}
