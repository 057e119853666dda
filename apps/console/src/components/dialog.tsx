import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button, Icon, type IconName } from './button';
import styles from './dialog.module.css';
import { TextArea, TextField } from './fields';
import { type After, Form } from './form';
import { copy } from './notices';

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  wide?: boolean;
  children: ReactNode;
}

/** A dialog with a title and a close button. For questions use `ConfirmDialog`. */
export function Dialog({ open, onOpenChange, title, wide = false, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={wide ? `${styles.popup} ${styles.wide}` : styles.popup}>
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <Base.Close render={<Button look="quiet" small iconOnly aria-label="Close" />}>
              <Icon name="close" />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface FormDialogProps extends Omit<ComponentProps<typeof Form>, 'className' | 'cancel'> {
  onClose: () => void;
  title: string;
}

/** A dialog with fields. The caller decides in `onSubmit` whether it closes or shows what was created. */
export function FormDialog({ onClose, title, ...form }: FormDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      <Form {...form} className={styles.form} cancel={<Button onClick={onClose}>Cancel</Button>} />
    </Dialog>
  );
}

/** The created resource, with secrets that are not shown again. */
export interface Issued {
  title: string;
  secrets: readonly ComponentProps<typeof SecretOnce>[];
  children?: ReactNode;
}

interface FormButtonProps extends Omit<FormDialogProps, 'onClose' | 'onSubmit'> {
  label: string;
  icon?: IconName;
  look?: ComponentProps<typeof Button>['look'];
  small?: boolean;
  name?: string;
  /** Sets the fields to their first values. */
  onOpen?: () => void;
  /** Its result is shown when the dialog has closed. */
  onSubmit: () => Promise<Issued | undefined>;
}

/** A button that opens a dialog with fields, which closes when its request has succeeded. */
export function FormButton({ label, icon, look, small, name, onOpen, onSubmit, ...dialog }: FormButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [issued, setIssued] = useState<Issued>();
  const open = () => {
    onOpen?.();
    setOpen(true);
  };
  const submit = async () => {
    setIssued(await onSubmit());
    setOpen(false);
  };
  return (
    <>
      <Button look={look} small={small} aria-label={name} onClick={open}>
        {icon && <Icon name={icon} size={small ? 14 : 16} />}
        {label}
      </Button>
      {isOpen && <FormDialog {...dialog} onClose={() => setOpen(false)} onSubmit={submit} />}
      {issued && <IssuedDialog {...issued} onClose={() => setIssued(undefined)} />}
    </>
  );
}

/** Shows what was issued. Its secrets are not shown again. */
export function IssuedDialog({ title, secrets, children, onClose }: Issued & { onClose: () => unknown }) {
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      {secrets.map((secret) => (
        <SecretOnce key={secret.label} {...secret} />
      ))}
      {children}
    </Dialog>
  );
}

/** A secret that the service returns only once, with a button that copies it. */
function SecretOnce({ label, value, hint }: { label: string; value: string; hint?: string }) {
  return (
    <div className={styles.secret}>
      <span className={styles.label}>{label}</span>
      <div className={styles.value}>
        <code>{value}</code>
        <Button small onClick={() => copy(value, label)}>
          <Icon name="copy" size={14} />
          Copy
        </Button>
      </div>
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}

interface ConfirmDialogProps extends After {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** The change, and whether it can be reverted. */
  children: ReactNode;
  /** Choices before the action, between the text and the reason. */
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

interface RevokeButtonProps extends After {
  /** Name of the key or token. */
  name: string;
  onRevoke: () => Promise<unknown>;
  /** When it takes effect. */
  children: ReactNode;
}

/** Asks before a key or token is revoked, which cannot be undone. */
export function RevokeButton({ name, onRevoke, children, ...after }: RevokeButtonProps) {
  return (
    <ConfirmButton
      {...after}
      label="Revoke"
      name={`Revoke ${name}`}
      small
      look="quiet"
      title={`Revoke ${name}?`}
      action="Revoke"
      danger
      onConfirm={onRevoke}
    >
      <p>{children} This cannot be undone.</p>
    </ConfirmButton>
  );
}
