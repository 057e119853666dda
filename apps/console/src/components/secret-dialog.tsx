import { Dialog } from './dialog';
import { SecretOnce } from './secret-once';

export interface ShownSecret {
  label: string;
  value: string;
  hint?: string;
}

/** Shows what was issued. Its secrets are not shown again. */
export function SecretDialog({
  title,
  secrets,
  onClose,
}: {
  title: string;
  secrets: readonly ShownSecret[];
  onClose: () => void;
}) {
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      {secrets.map((secret) => (
        <SecretOnce key={secret.label} {...secret} />
      ))}
    </Dialog>
  );
}
