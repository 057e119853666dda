import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from './button';
import styles from './dialog.module.css';
import { TextArea, TextField } from './fields';
import { Form } from './form';
import type { After } from './use-sending';

interface ConfirmDialogProps extends After {
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
export function ConfirmDialog({ open, onOpenChange, title, wide = false, onDone, ...rest }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={wide ? `${styles.popup} ${styles.wide}` : styles.popup}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <ConfirmForm
            {...rest}
            onDone={() => {
              onOpenChange(false);
              onDone?.();
            }}
          />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

type ConfirmFormProps = Omit<ConfirmDialogProps, 'open' | 'onOpenChange' | 'title' | 'wide'>;

function ConfirmForm(props: ConfirmFormProps) {
  const { children, fields, isComplete = true, reason, typed, onConfirm, ...form } = props;
  const [text, setText] = useState('');
  const [name, setName] = useState('');
  return (
    <Form
      {...form}
      className={styles.form}
      isReady={isComplete && (reason !== 'required' || text.trim() !== '') && (typed === undefined || name === typed)}
      cancel={<AlertDialog.Close render={<Button />}>Cancel</AlertDialog.Close>}
      onSubmit={() => onConfirm(text.trim() || undefined)}
    >
      <AlertDialog.Description render={<div />} className={styles.text}>
        {children}
      </AlertDialog.Description>
      {fields}
      {typed !== undefined && <TextField label={`Type ${typed} to confirm`} value={name} onChange={setName} />}
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
    </Form>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'open' | 'onOpenChange'> {
  label: ReactNode;
  look?: ComponentProps<typeof Button>['look'];
  small?: boolean;
  /** For screen readers, if several buttons have the same label. */
  name?: string;
  disabled?: boolean;
}

/** A button that asks before its change. */
export function ConfirmButton({ label, look, small, name, disabled, ...dialog }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} small={small} aria-label={name} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog open={isOpen} onOpenChange={setOpen} {...dialog} />
    </>
  );
}
