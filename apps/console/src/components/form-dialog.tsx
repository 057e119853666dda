import type { FormEvent, ReactNode } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import styles from './dialog.module.css';
import { FormActions, FormError } from './form-parts';
import { useSending } from './use-sending';

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
  const { error, isSending, send } = useSending();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isSending) return;
    await send(onSubmit);
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      <form className={styles.form} onSubmit={submit}>
        {children}
        <FormError>{error}</FormError>
        <FormActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isReady || isSending}>
            {isSending ? 'Sending…' : action}
          </Button>
        </FormActions>
      </form>
    </Dialog>
  );
}
