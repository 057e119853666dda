import type { CorrelationKey, StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import type { Assignment } from './assign-identities.js';
import { type Following, followPeople, foreignKeys, type Holder, linkedAccount, otherPerson } from './follow-people.js';
import { standingFuzzyLink } from './fuzzy-links.js';
import { nameWords } from './names.js';
import { isSettled, type Neighbourhood } from './neighbourhood.js';
import { namesOf } from './place-people.js';
import type { DisputedRecord } from './relate-clusters.js';

/** An account with its person, and what may give it another one. */
interface PlacedAccount {
  record: StoredRecord;
  identityId?: string | undefined;
  /** The match key that links it. */
  key?: CorrelationKey | undefined;
  /** Keys whose next holder may be its person; absent if an operator has linked it. */
  waitsFor?: CorrelationKey[];
  disputes: DisputedRecord[];
}

/** People to which accounts may belong. */
interface People {
  assignments: readonly Assignment[];
  /** Identity ids by record id. */
  links: ReadonlyMap<string, string>;
  successors: ReadonlyMap<string, string>;
  holders: () => ReadonlyMap<string, readonly Holder[]>;
}

/** Finds the person of each account of the neighbourhood. Accounts do not depend on each other. */
export function placeAccounts(
  neighbourhood: Neighbourhood,
  { assignments, links, successors, holders }: People,
  cause: Cause,
): PlacedAccount[] {
  const { changes, strengths } = neighbourhood;
  const present = new Set(links.values());
  const names = namesOf(assignments);

  /** The identity that the account has now; the one before an unfinished job may have ended when the job moved its people. */
  const currentOf = ({ record, placed }: RecordChange) => {
    const kept = strengths.keptIdentityOf(record);
    const earlier = kept !== undefined && present.has(kept) ? kept : kept && successors.get(kept);
    const successor = record.identityId && !placed ? successors.get(record.identityId) : undefined;
    return earlier ?? successor ?? record.identityId;
  };
  /** The identity of an account without a match key while all links are computed again. */
  const standingOf = (change: RecordChange) => {
    if (!cause.reconsider) return undefined;
    const user = standingFuzzyLink(change, changes, cause.rules);
    if (user) return links.get(user);
    const { identityId } = change.record;
    const hadUsers = [...changes.values()].some(
      ({ before }) => before?.kind === 'user' && before.identityId === identityId,
    );
    // Nothing is left to compare with the account of a leaver whose users are purged.
    return hadUsers ? undefined : identityId;
  };

  return [...changes.values()].flatMap((change): PlacedAccount[] => {
    const { record, removed } = change;
    if (record.kind !== 'account' || removed) return [];
    const keys = neighbourhood.keysOf(record);
    const current = currentOf(change);
    const stays = current !== undefined && isSettled(record, strengths.strengthOf);
    if (stays && record.decided) return [{ record, identityId: current, disputes: [] }];
    const following: Following = stays ? { identityId: current, waitsFor: [] } : followPeople(keys, holders());
    // Saved for unmoved records too, because another key may now be the deciding one.
    const { waitsFor, dispute } = following;
    const key = !stays && following.identityId ? keys.find((each) => !waitsFor.includes(each)) : undefined;
    const identityId = following.identityId ?? standingOf(change);
    if (identityId === undefined) return [{ record, waitsFor, disputes: dispute ? [{ record, ...dispute }] : [] }];
    const account = linkedAccount(identityId, keys, nameWords(record.fields), names.get(identityId) ?? []);
    const other = otherPerson(account, holders());
    return [
      {
        record,
        identityId,
        key,
        waitsFor: [...waitsFor, ...foreignKeys(account, holders())],
        disputes: other ? [{ record, ...other, doubt: 'linked_elsewhere' }] : [],
      },
    ];
  });
}
