import type { ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { notify } from './notices';

interface RevokeDialogProps<Item> {
  /** The key or token to revoke; undefined while none is chosen. */
  item: Item | undefined;
  onClose: () => void;
  onRevoke: (item: Item) => Promise<unknown>;
  /** Shown afterwards, such as `The key is revoked.` */
  done: string;
  /** When it takes effect. */
  children: ReactNode;
}

/** Asks before a key or token is revoked, which cannot be undone. */
export function RevokeDialog<Item extends { name: string }>({
  item,
  onClose,
  onRevoke,
  done,
  children,
}: RevokeDialogProps<Item>) {
  const revoke = async () => {
    if (!item) return;
    await onRevoke(item);
    notify(done);
  };
  return (
    <ConfirmDialog
      open={item !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke ${item?.name ?? ''}?`}
      action="Revoke"
      danger
      onConfirm={revoke}
    >
      <p>{children} This cannot be undone.</p>
    </ConfirmDialog>
  );
}
