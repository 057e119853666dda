import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from './button';
import styles from './dialog.module.css';
import { TextArea, TextField } from './fields';
import { FormActions, FormError } from './form-parts';
import { useSending } from './use-sending';

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What it changes, and whether it can be reverted. */
  children: ReactNode;
  /** What is chosen before the action, between the text and the reason. */
  fields?: ReactNode;
  /** False while a choice is missing. */
  isComplete?: boolean;
  wide?: boolean;
  action: string;
  danger?: boolean;
  /** `required`: without a reason the action is disabled. It is written to the audit log. */
  reason?: 'required' | 'optional';
  /** Text that must be typed, such as the name of what is deleted. */
  typed?: string;
  /** Closes the dialog when it resolves; an error is shown in the dialog, which keeps its input. */
  onConfirm: (reason: string | undefined) => Promise<unknown>;
}

/** Asks before a change, with a reason. */
export function ConfirmDialog({ open, onOpenChange, title, wide = false, ...rest }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={wide ? `${styles.popup} ${styles.wide}` : styles.popup}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <ConfirmForm {...rest} onDone={() => onOpenChange(false)} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

type ConfirmFormProps = Omit<ConfirmDialogProps, 'open' | 'onOpenChange' | 'title' | 'wide'> & { onDone: () => void };

function ConfirmForm({
  children,
  fields,
  isComplete = true,
  action,
  danger,
  reason,
  typed,
  onConfirm,
  onDone,
}: ConfirmFormProps) {
  const [text, setText] = useState('');
  const [name, setName] = useState('');
  const { error, isSending, send } = useSending();
  const formId = useId();
  const isReady =
    isComplete && (reason !== 'required' || text.trim() !== '') && (typed === undefined || name === typed);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || isSending) return;
    await send(async () => {
      await onConfirm(text.trim() || undefined);
      onDone();
    });
  };
  return (
    <form id={formId} className={styles.form} onSubmit={submit}>
      <AlertDialog.Description render={<div />} className={styles.text}>
        {children}
      </AlertDialog.Description>
      {fields}
      {typed !== undefined && (
        <TextField label={`Type ${typed} to confirm`} value={name} onChange={setName} autoComplete="off" />
      )}
      {reason && (
        <TextArea
          label={reason === 'required' ? 'Reason' : 'Reason (optional)'}
          hint="Kept in the audit log. Do not write data of people."
          value={text}
          onChange={setText}
          maxLength={1_000}
          rows={2}
        />
      )}
      <FormError>{error}</FormError>
      <FormActions>
        <AlertDialog.Close render={<Button />}>Cancel</AlertDialog.Close>
        <Button type="submit" look={danger ? 'danger' : 'primary'} disabled={!isReady || isSending}>
          {isSending ? 'Sending…' : action}
        </Button>
      </FormActions>
    </form>
  );
}
