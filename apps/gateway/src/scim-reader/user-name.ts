import type { responses } from '@idsync/contracts';

/** Returns the userName of a user: sources need not deliver one. */
export function userNameOf({ user_principal_name, email, external_id }: responses.User): string {
  return user_principal_name ?? email ?? external_id;
}
