import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import styles from './dialog.module.css';

interface FormDialogProps {
  onClose: () => void;
  title: string;
  action: string;
  isReady?: boolean;
  children: ReactNode;
  /** An error is shown in the dialog, which keeps its input. */
  onSubmit: () => Promise<unknown>;
}

/** A dialog with fields. The caller decides in `onSubmit` whether it closes or shows what was created. */
export function FormDialog({ onClose, title, action, isReady = true, children, onSubmit }: FormDialogProps) {
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isSending) return;
    setSending(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (failure) {
      setError((failure as Error).message);
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      <form className={styles.form} onSubmit={submit}>
        {children}
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isReady || isSending}>
            {isSending ? 'Sending…' : action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
