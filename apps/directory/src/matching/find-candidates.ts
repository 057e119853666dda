import type { WeakTier } from '@idsync/contracts';
import type { CaseCandidate, ConnectorInfo, StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import { append } from '../shared/collections.js';
import { contradict, isDeleted, type KeyRules, numbersOf, permanentKeys } from './record-keys.js';
import { type Spelling, scorePair } from './score-pair.js';

/** Records with all records that share a fuzzy-match value with one of them. */
export interface Surroundings {
  /** By id, including all users of each record's identity. */
  records: ReadonlyMap<string, StoredRecord>;
  /** Current (not deleted) users by identity. */
  people: ReadonlyMap<string, readonly StoredRecord[]>;
  /** Ids of the records that share a value, by record id. */
  sharers: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Proposal {
  record: StoredRecord;
  tier: WeakTier;
  /** Best first. */
  candidates: CaseCandidate[];
  /** `any`: the candidates fit in another spelling only, which proposes a link but never makes one. */
  spelling: Spelling;
}

/**
 * Finds candidate identities for a record that no match key has linked, by the first fuzzy tier with a result. Compares
 * it only with users that share a value with it, so that the result does not depend on other records of the run. An
 * account is compared with all people, a user only with people of a higher-ranked source, so that each pair is proposed
 * once.
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
    if (user?.kind !== 'user' || isDeleted(user) || !user.identityId) continue;
    append(alike, user.identityId, user);
  }
  const fitting = [...alike].filter(([identityId]) => {
    const users = people.get(identityId) ?? [];
    if (identityId === subject.identityId || contradicts(subject, users, rules)) return false;
    return subject.kind === 'account' || users.some((user) => outranks(user, subject, connectors));
  });
  // Another spelling decides nothing that the names as they are written decide.
  for (const spelling of ['written', 'any'] as const) {
    for (const tier of rules.weak) {
      const candidates = fitting.flatMap(([identityId, users]): CaseCandidate[] => {
        const [best] = users
          .map((user) => ({
            ...scorePair(subject.fields, user.fields, tier, { spelling, rules }),
            record_id: user.id,
          }))
          .sort((a, b) => b.score - a.score);
        if (!best || best.score < tier.propose_at) return [];
        return [{ identity_id: identityId, ...best }];
      });
      if (candidates.length > 0) {
        candidates.sort((a, b) => b.score - a.score || (a.identity_id < b.identity_id ? -1 : 1));
        return { record: subject, tier, candidates, spelling };
      }
    }
  }
  return undefined;
}

function isOpenToProposals(record: StoredRecord, people: ReadonlyMap<string, readonly StoredRecord[]>): boolean {
  if (isDeleted(record) || record.decided) return false;
  if (record.kind === 'account') return record.identityId === undefined;
  return record.kind === 'user' && record.identityId !== undefined && people.get(record.identityId)?.length === 1;
}

/** Two current records of one source, or two employee numbers or other permanent keys, are two people. */
function contradicts(subject: StoredRecord, users: readonly StoredRecord[], rules: KeyRules): boolean {
  if (subject.kind === 'user' && users.some((user) => user.connectorId === subject.connectorId)) return true;
  const numbers = numbersOf(permanentKeys(subject.fields, rules));
  return contradict(numbers, numbersOf(users.flatMap((user) => permanentKeys(user.fields, rules))));
}

function outranks(user: StoredRecord, subject: StoredRecord, connectors: ReadonlyMap<string, ConnectorInfo>): boolean {
  const [a, b] = [connectors.get(user.connectorId)?.priority ?? 0, connectors.get(subject.connectorId)?.priority ?? 0];
  return a < b || (a === b && user.connectorId < subject.connectorId);
}
