import type { WeakTier } from '@idsync/contracts';
import type { CaseCandidate, ConnectorFacts, StoredRecord } from '@idsync/database';
import type { Cause } from '../cause.js';
import { isLiving } from './record-keys.js';
import { scorePair } from './score-pair.js';
import type { Surroundings } from './surroundings.js';

export interface Proposal {
  record: StoredRecord;
  tier: WeakTier;
  /** Best first. */
  candidates: CaseCandidate[];
}

/**
 * Whom a record that no certain key has joined could belong to, by the first weak tier that finds anybody. It is compared
 * with users who share a value with it and nobody else, so that the outcome does not hang on who is looked at beside it. An
 * account looks among all people; a user only among those that a source of higher rank knows: each pair is asked about once.
 */
export function findCandidates(
  subject: StoredRecord,
  { records, people, sharers }: Surroundings,
  { rules, connectors }: Pick<Cause, 'rules' | 'connectors'>,
): Proposal | undefined {
  if (!isOpenToProposals(subject, people)) return undefined;
  const alike = new Map<string, StoredRecord[]>();
  for (const id of sharers.get(subject.id) ?? []) {
    const user = records.get(id);
    if (user?.kind !== 'user' || !isLiving(user) || !user.identityId) continue;
    alike.set(user.identityId, [...(alike.get(user.identityId) ?? []), user]);
  }
  const fitting = [...alike].filter(([identityId]) => {
    const users = people.get(identityId) ?? [];
    if (identityId === subject.identityId || contradicts(subject, users)) return false;
    return subject.kind === 'account' || users.some((user) => outranks(user, subject, connectors));
  });
  for (const tier of rules.weak) {
    const candidates = fitting.flatMap(([identityId, users]): CaseCandidate[] => {
      const [best] = users
        .map((user) => scorePair(subject.fields, user.fields, tier))
        .sort((a, b) => b.score - a.score);
      if (!best || best.score < tier.propose_at) return [];
      return [{ identity_id: identityId, ...best }];
    });
    if (candidates.length > 0) {
      candidates.sort((a, b) => b.score - a.score || (a.identity_id < b.identity_id ? -1 : 1));
      return { record: subject, tier, candidates };
    }
  }
  return undefined;
}

function isOpenToProposals(record: StoredRecord, people: ReadonlyMap<string, readonly StoredRecord[]>): boolean {
  if (!isLiving(record) || record.decided) return false;
  if (record.kind === 'account') return record.identityId === undefined;
  return record.kind === 'user' && record.identityId !== undefined && people.get(record.identityId)?.length === 1;
}

/** Two living records of one source, and two employee numbers, are two people. */
function contradicts(subject: StoredRecord, users: readonly StoredRecord[]): boolean {
  if (subject.kind === 'user' && users.some((user) => user.connectorId === subject.connectorId)) return true;
  const number = subject.fields.employee_number?.[0];
  const numbers = users.flatMap((user) => user.fields.employee_number?.[0] ?? []);
  return number !== undefined && numbers.length > 0 && !numbers.includes(number);
}

function outranks(user: StoredRecord, subject: StoredRecord, connectors: ReadonlyMap<string, ConnectorFacts>): boolean {
  const [a, b] = [connectors.get(user.connectorId)?.priority ?? 0, connectors.get(subject.connectorId)?.priority ?? 0];
  return a < b || (a === b && user.connectorId < subject.connectorId);
}
