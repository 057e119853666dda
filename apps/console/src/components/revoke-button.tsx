import type { ReactNode } from 'react';
import { ConfirmButton } from './confirm-dialog';
import type { After } from './use-sending';

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
