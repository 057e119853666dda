// SQL by hand: the lock on the head of the chain, and entry and head in one statement.
import { newUuid, observedActions } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { decrypt, encrypt } from '../../secret-box.js';
import {
  type AuditInput,
  type ChainHead,
  firstHash,
  headMac,
  keyIdOf,
  newChainKey,
  type SealedEntry,
  seal,
} from './chain.js';

type Keys = readonly [Buffer, ...Buffer[]];

interface LockedHead extends ChainHead {
  /** Encrypted keys of the chain, the newest first. */
  keys: Buffer[] | null;
  /** Of this entry: entries of one chain are in the order of their times. */
  at: Date;
}

/**
 * Appends an entry to a chain, in the transaction of the act that it records. Locks the chain until the end of the
 * transaction, so it comes last.
 */
export async function appendAudit(
  tx: Transaction,
  chain: string,
  input: AuditInput,
  keys: Keys,
): Promise<{ sequence: number; hash: Buffer }> {
  const head = (await lockHead(tx, chain)) ?? (await startChain(tx, chain, keys));
  const [key] = openKeys(head.keys ?? [], keys, chain);
  if (key) return save(tx, chain, input, head, key);
  // ENCRYPTION_KEY is lost, or this gateway has not got the new one yet. Acts must remain possible.
  const fresh = await addKey(tx, chain, keys);
  const actor = { kind: 'system' as const, name: 'idsync' };
  const added = { actor, action: observedActions.keyAdded, outcome: 'observed' as const };
  const sealed = await save(tx, chain, added, head, fresh);
  return save(tx, chain, input, { ...head, ...sealed }, fresh);
}

/** Decrypts keys of a chain. Leaves out those that no key of the gateway decrypts. */
export function openKeys(ciphertexts: readonly Buffer[], keys: readonly Buffer[], chain: string): Buffer[] {
  return ciphertexts.flatMap((ciphertext) => {
    try {
      return [Buffer.from(decrypt(ciphertext, keys, chain), 'base64')];
    } catch {
      return [];
    }
  });
}

async function addKey(tx: Transaction, chain: string, [key]: Keys): Promise<Buffer> {
  const fresh = newChainKey();
  const ciphertext = encrypt(fresh.toString('base64'), key, chain);
  await tx.query('insert into audit_keys (id, tenant_id, ciphertext) values ($1, $2, $3)', [
    newUuid(),
    chain,
    ciphertext,
  ]);
  return fresh;
}

async function lockHead(tx: Transaction, chain: string): Promise<LockedHead | undefined> {
  return tx.row<LockedHead>(
    `select sequence, hash, (select array_agg(ciphertext order by created_at desc) from audit_keys where tenant_id = $1) as keys,
            greatest(at, date_trunc('milliseconds', clock_timestamp())) as at
       from audit_heads where tenant_id = $1 for update`,
    [chain],
  );
}

async function startChain(tx: Transaction, chain: string, keys: Keys): Promise<LockedHead> {
  const key = await addKey(tx, chain, keys);
  await tx.query(
    `insert into audit_heads (tenant_id, hash, at, mac, key_id)
     values ($1, $2, date_trunc('milliseconds', clock_timestamp()), $3, $4) on conflict do nothing`,
    [chain, firstHash, headMac(chain, { sequence: 0, hash: firstHash }, key), keyIdOf(key)],
  );
  const head = await lockHead(tx, chain);
  if (!head) throw new Error('the audit log has no head');
  return head;
}

async function save(
  tx: Transaction,
  chain: string,
  input: AuditInput,
  head: LockedHead,
  key: Buffer,
): Promise<SealedEntry> {
  const sealed = seal(chain, head, head.at, input, key);
  await tx.query(
    `with moved as (update audit_heads set sequence = $2, hash = $10, at = $4, mac = $13, key_id = $12 where tenant_id = $1)
     insert into audit_entries
       (tenant_id, sequence, id, at, actor, action, resource, request_id, entry, hash, mac, key_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      chain,
      sealed.sequence,
      sealed.id,
      sealed.at,
      input.actor.name,
      input.action,
      input.resource ?? null,
      input.request_id ?? null,
      sealed.entry,
      sealed.hash,
      sealed.mac,
      sealed.keyId,
      headMac(chain, sealed, key),
    ],
  );
  return sealed;
}
