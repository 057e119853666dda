// SQL by hand: an insertion that reports a repetition, and set-based deletions.
import { createHash } from 'node:crypto';
import { installationId } from '@idsync/contracts';
import type { Database, Transaction } from '../database.js';
import type { SessionRow } from './operator-sessions.js';

/** Sessions of a person at the identity provider. */
export interface ProviderLogout {
  /** `jti` of the token. */
  id: string;
  issuer: string;
  subject?: string;
  providerSession?: string;
  /** The token is refused after this time, so it need not be remembered longer. */
  expiresAt: Date;
}

/** Returns false if the token was used before. */
export async function rememberLogout(tx: Transaction, { id, issuer, expiresAt }: ProviderLogout): Promise<boolean> {
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, id]))
    .digest('hex');
  const added = await tx.query(
    'insert into logout_tokens (id, tenant_id, expires_at) values ($1, $2, $3) on conflict do nothing returning id',
    [hash, installationId, expiresAt],
  );
  return added.length > 0;
}

/** Deletes the sessions that a logout ends, and returns them. */
export function deleteSessionsOf(
  tx: Transaction,
  { issuer, subject, providerSession }: ProviderLogout,
): Promise<Pick<SessionRow, 'id' | 'name' | 'subject' | 'role'>[]> {
  return tx.query(
    `delete from operator_sessions
      where tenant_id = $1 and kind = 'oidc' and issuer = $2
        and ($3::text is null or subject = $3) and ($4::text is null or provider_session = $4)
        and ($3::text is not null or $4::text is not null)
     returning id, name, subject, role`,
    [installationId, issuer, subject ?? null, providerSession ?? null],
  );
}

/** Forgets tokens that are too old to be used again. Returns their number. */
export function forgetLogouts(database: Database, limit: number): Promise<number> {
  return database.transaction(installationId, async (tx) => {
    const deleted = await tx.query(
      `delete from logout_tokens where tenant_id = $1 and id in (
         select id from logout_tokens where tenant_id = $1 and expires_at < now() limit $2)
       returning id`,
      [installationId, limit],
    );
    return deleted.length;
  });
}
