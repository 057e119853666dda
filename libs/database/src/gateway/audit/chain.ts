import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type ActorKind, type AuditOutcome, encodeId, installationId, newUuid } from '@idsync/contracts';
import canonicalize from 'canonicalize';

export interface AuditActor {
  kind: ActorKind;
  /** Public id of the token or key. */
  id?: string;
  name: string;
  role?: string;
  /** Public id of the session. */
  session?: string;
}

/** The content of an entry, as the API shows it. */
export interface AuditInput {
  actor: AuditActor;
  address?: string;
  request_id?: string;
  action: string;
  outcome: AuditOutcome;
  /** HTTP status of a refusal. */
  status?: number;
  resource?: string;
  before?: unknown;
  after?: unknown;
  reason?: string;
  error?: string;
}

/** The newest entry of a chain. */
export interface ChainHead {
  sequence: number;
  hash: Buffer;
}

export interface SealedEntry {
  id: string;
  sequence: number;
  at: Date;
  /** Canonical JSON (RFC 8785) of the entry with the hash of the previous one; the text that is hashed. */
  entry: string;
  hash: Buffer;
  mac: Buffer;
  keyId: Buffer;
}

const keyBytes = 32;
export const firstHash = Buffer.alloc(32);

export const newChainKey = (): Buffer => randomBytes(keyBytes);

/** Chains an entry to the head of its chain. The hash needs no key, so that an export can be checked anywhere. */
export function seal(chain: string, head: ChainHead, at: Date, input: AuditInput, key: Buffer): SealedEntry {
  const id = newUuid();
  const sequence = head.sequence + 1;
  const entry = canonical({
    ...input,
    id: encodeId('auditEntry', id),
    ...(chain !== installationId && { tenant_id: encodeId('tenant', chain) }),
    sequence,
    at: at.toISOString(),
    previous_hash: head.hash.toString('hex'),
  });
  const hash = hashOf(entry);
  return { id, sequence, at, entry, hash, mac: entryMac(chain, hash, key), keyId: keyIdOf(key) };
}

export function hashOf(entry: string): Buffer {
  return createHash('sha256').update(entry).digest();
}

/** Proves that a holder of the key wrote the entry into this chain. */
export function entryMac(chain: string, hash: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`entry ${chain} `).update(hash).digest();
}

/** Proves that a holder of the key wrote this head. Entries do not contain it, so none can be made a head again. */
export function headMac(chain: string, { sequence, hash }: ChainHead, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`head ${chain} ${sequence} `).update(hash).digest();
}

/** Identifies the key of an entry without disclosing it. */
export function keyIdOf(key: Buffer): Buffer {
  return createHash('sha256').update('idsync audit key').update(key).digest().subarray(0, 8);
}

function canonical(value: object): string {
  return canonicalize(wellFormed(JSON.parse(JSON.stringify(value)))) ?? '';
}

/** Replaces lone surrogates, which have no canonical form. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [wellFormed(name), wellFormed(each)]));
}
