import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import styles from './dialog.module.css';
import { Form } from './form';
import { Icon, type IconName } from './icon';
import { SecretOnce } from './secret-once';

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

/** What was created, with secrets that are not shown again. */
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
  /** What it returns is shown when the dialog has closed. */
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
