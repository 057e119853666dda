// SQL by hand: heads of all chains, from a partial index.
import { encodeId, installationId, observedActions } from '@idsync/contracts';
import type { Database } from '../../database.js';
import { appendAudit } from './append.js';

interface UnanchoredHead {
  tenantId: string;
  sequence: number;
  hash: Buffer;
}

/**
 * Mentions the heads of tenants' chains in the chain of the installation, so that a chain that loses its newest entries
 * contradicts it. If the process is killed between the two transactions, the head is mentioned twice.
 */
export async function anchorChains(
  database: Database,
  keys: readonly [Buffer, ...Buffer[]],
  limit: number,
): Promise<number> {
  const heads = await database.acrossTenants((tx) =>
    tx.query<UnanchoredHead>(
      `select tenant_id as "tenantId", sequence, hash from audit_heads
        where sequence > anchored_sequence and tenant_id <> $1 order by tenant_id limit $2`,
      [installationId, limit],
    ),
  );
  for (const { tenantId, sequence, hash } of heads) {
    await database.transaction(installationId, (tx) =>
      appendAudit(
        tx,
        installationId,
        {
          actor: { kind: 'system', name: 'idsync' },
          action: observedActions.anchored,
          outcome: 'observed',
          resource: encodeId('tenant', tenantId),
          after: { sequence, hash: hash.toString('hex') },
        },
        keys,
      ),
    );
    await database.transaction(tenantId, (tx) =>
      tx.query('update audit_heads set anchored_sequence = greatest(anchored_sequence, $2) where tenant_id = $1', [
        tenantId,
        sequence,
      ]),
    );
  }
  return heads.length;
}

/** The head of the chain of the installation, which mentions all others. */
export async function findInstallationHead(
  database: Database,
): Promise<{ sequence: number; hash: Buffer } | undefined> {
  const [head] = await database.readTransaction(installationId, (tx) =>
    tx.query<{ sequence: number; hash: Buffer }>('select sequence, hash from audit_heads where tenant_id = $1', [
      installationId,
    ]),
  );
  return head;
}
