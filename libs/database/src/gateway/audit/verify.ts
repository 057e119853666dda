// SQL by hand: a range of a chain with its head and its newest anchor.
import { type AuditProblem, encodeId, installationId, observedActions } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { openKeys } from './append.js';
import { entryMac, firstHash, hashOf, headMac, keyIdOf } from './chain.js';

export interface FoundProblem {
  sequence: number;
  problem: AuditProblem;
}

export interface Verification {
  verified: number;
  problems: FoundProblem[];
  head: { sequence: number; hash: Buffer; at: Date } | undefined;
  /** Continue after this entry; absent at the end of the chain. */
  next?: number;
}

/** An entry that the caller knows from an earlier verification or export. */
export interface KnownEntry {
  sequence: number;
  hash: string;
}

interface Row {
  sequence: number;
  at: Date;
  actor: string;
  action: string;
  resource: string | null;
  requestId: string | null;
  entry: string;
  hash: Buffer;
  mac: Buffer;
  keyId: Buffer;
}

type ChainKeys = ReadonlyMap<string, Buffer>;

const maxProblems = 100;

/**
 * Recomputes up to `limit` entries of a chain after `after`, and at the end compares the chain with its head, its newest
 * anchor and the entries that the caller knows. Needs a transaction across tenants.
 */
export async function verifyAudit(
  tx: Transaction,
  chain: string,
  keys: readonly Buffer[],
  { after, limit, known = [] }: { after: number; limit: number; known?: readonly KnownEntry[] },
): Promise<Verification> {
  // Before the entries: those that are appended meanwhile are beyond it.
  const [head] = await tx.query<{ sequence: number; hash: Buffer; at: Date; mac: Buffer; keyId: Buffer }>(
    'select sequence, hash, at, mac, key_id as "keyId" from audit_heads where tenant_id = $1',
    [chain],
  );
  const rows = await tx.query<Row>(
    `select sequence, at, actor, action, resource, request_id as "requestId", entry, hash, mac, key_id as "keyId"
       from audit_entries where tenant_id = $1 and sequence > $2 and sequence <= $3 order by sequence limit $4`,
    [chain, after, head?.sequence ?? Number.MAX_SAFE_INTEGER, limit],
  );
  const own = await keysOf(tx, chain, keys);
  const problems = checkEntries(chain, rows, { sequence: after, hash: await hashAt(tx, chain, after) }, own);
  const isEnd = rows.length < limit;
  if (isEnd) {
    const last = rows.at(-1)?.sequence ?? after;
    if (head || last > 0) problems.push(...checkHead(chain, head, last, own));
    const anchor = await newestAnchor(tx, chain);
    for (const [problem, entry] of [
      ...(anchor ? [['anchor', anchor] as const] : []),
      ...known.map((each) => ['known', each] as const),
    ]) {
      if ((await hashAt(tx, chain, entry.sequence))?.toString('hex') !== entry.hash)
        problems.push({ sequence: entry.sequence, problem });
    }
  }
  return {
    verified: rows.length,
    problems: problems.slice(0, maxProblems),
    head: head && { sequence: head.sequence, hash: head.hash, at: head.at },
    ...(!isEnd && { next: rows.at(-1)?.sequence }),
  };
}

function checkEntries(
  chain: string,
  rows: readonly Row[],
  before: { sequence: number; hash: Buffer | undefined },
  keys: ChainKeys,
): FoundProblem[] {
  const problems: FoundProblem[] = [];
  let { sequence, hash } = before;
  for (const row of rows) {
    for (let absent = sequence + 1; absent < row.sequence && problems.length < maxProblems; absent += 1)
      problems.push({ sequence: absent, problem: 'missing' });
    const isNext = row.sequence === sequence + 1;
    const problem = problemOf(chain, row, isNext ? hash : undefined, keys);
    if (problem) problems.push({ sequence: row.sequence, problem });
    ({ sequence, hash } = row);
  }
  return problems;
}

function problemOf(chain: string, row: Row, previous: Buffer | undefined, keys: ChainKeys): AuditProblem | undefined {
  if (!hashOf(row.entry).equals(row.hash) || !isFoundAs(row)) return 'changed';
  if (previous && previousHashOf(row.entry) !== previous.toString('hex')) return 'unlinked';
  const key = keys.get(row.keyId.toString('hex'));
  if (!key) return 'unverifiable';
  return entryMac(chain, row.hash, key).equals(row.mac) ? undefined : 'changed';
}

/** The columns by which an entry is found agree with its text. */
function isFoundAs(row: Row): boolean {
  const entry = JSON.parse(row.entry) as Record<string, unknown> & { actor: { name: string } };
  return (
    entry.sequence === row.sequence &&
    entry.at === row.at.toISOString() &&
    entry.actor.name === row.actor &&
    entry.action === row.action &&
    (entry.resource ?? null) === row.resource &&
    (entry.request_id ?? null) === row.requestId
  );
}

function previousHashOf(entry: string): unknown {
  return (JSON.parse(entry) as { previous_hash: unknown }).previous_hash;
}

function checkHead(
  chain: string,
  head: { sequence: number; hash: Buffer; mac: Buffer; keyId: Buffer } | undefined,
  last: number,
  keys: ChainKeys,
): FoundProblem[] {
  if (!head) return [{ sequence: last, problem: 'head' }];
  const missing = Array.from({ length: Math.min(head.sequence - last, maxProblems) }, (_, at) => ({
    sequence: last + 1 + at,
    problem: 'missing' as const,
  }));
  const key = keys.get(head.keyId.toString('hex'));
  const isOurs = key !== undefined && headMac(chain, head, key).equals(head.mac);
  return isOurs ? missing : [...missing, { sequence: head.sequence, problem: 'head' }];
}

/** Keys of the chain that the gateway can decrypt, by their ids. */
async function keysOf(tx: Transaction, chain: string, keys: readonly Buffer[]): Promise<ChainKeys> {
  const rows = await tx.query<{ ciphertext: Buffer }>('select ciphertext from audit_keys where tenant_id = $1', [
    chain,
  ]);
  const opened = openKeys(
    rows.map(({ ciphertext }) => ciphertext),
    keys,
    chain,
  );
  return new Map(opened.map((key) => [keyIdOf(key).toString('hex'), key]));
}

async function hashAt(tx: Transaction, chain: string, sequence: number): Promise<Buffer | undefined> {
  if (sequence === 0) return firstHash;
  const [row] = await tx.query<{ hash: Buffer }>(
    'select hash from audit_entries where tenant_id = $1 and sequence = $2',
    [chain, sequence],
  );
  return row?.hash;
}

/** The newest mention of the chain in the chain of the installation. */
async function newestAnchor(tx: Transaction, chain: string): Promise<KnownEntry | undefined> {
  if (chain === installationId) return undefined;
  const [row] = await tx.query<{ entry: string }>(
    `select entry from audit_entries where tenant_id = $1 and resource = $2 and action = $3
      order by sequence desc limit 1`,
    [installationId, encodeId('tenant', chain), observedActions.anchored],
  );
  return row && (JSON.parse(row.entry) as { after: KnownEntry }).after;
}
