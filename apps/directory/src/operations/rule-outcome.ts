import type { OperationResult } from '@idsync/contracts';
import type { LinkEvidence, StoredRecord } from '@idsync/database/directory';
import { movedBetween } from '../changes/describe-evidence.js';
import type { RecordChange, Settled } from '../changes/record-change.js';
import type { Proposal } from '../matching/find-candidates.js';

type Result = OperationResult<'rules.change'>;
type Joined = Result['joined'][number];
type Parted = Result['parted'][number];
type Moved = NonNullable<Result['moved']>[number];
type Case = NonNullable<Result['cases']>[number];

/** Maximum number of listed items of each kind, in pages; the rest is only counted. */
const listed = 5_000;
const listedCandidates = 5;

/**
 * Collects the people that new rules join and part, with ids only: names and values are added when the result is read,
 * so that an erased person leaves no trace here.
 */
export class RuleOutcome {
  private readonly joined: Map<string, Joined>;
  private readonly parted: Map<string, Parted>;
  private readonly moved: Map<string, Moved>;
  private readonly cases: Map<string, Case>;
  private recordsMoved: number;
  /** Items of earlier parts beyond those that are listed. */
  private readonly unlisted: { joined: number; parted: number; moved: number; cases: number };

  /** Continues with the result of earlier parts. */
  constructor(stored: Partial<Result> = {}) {
    const { joined = [], parted = [], moved = [], cases = [] } = stored;
    this.joined = new Map(joined.map((each) => [each.from_identity_id, each]));
    this.parted = new Map(parted.map((each) => [each.new_identity_id, each]));
    this.moved = new Map(moved.map((each) => [each.record?.id ?? '', each]));
    this.cases = new Map(cases.map((each) => [each.record.id, each]));
    this.recordsMoved = stored.records_moved ?? 0;
    this.unlisted = {
      joined: (stored.identities_joined ?? 0) - joined.length,
      parted: (stored.identities_parted ?? 0) - parted.length,
      moved: (stored.accounts_moved ?? 0) - moved.length,
      cases: (stored.cases_opened ?? 0) - cases.length,
    };
  }

  add({ records, merged, identities }: Settled): void {
    this.recordsMoved += records.filter(({ record, before }) => record.identityId !== before?.identityId).length;
    for (const { identity, splitFrom } of identities) {
      if (splitFrom) this.parted.set(identity.id, partedBy(records, splitFrom, identity.id));
    }
    for (const { identity, intoId } of merged) {
      // New rules part a fuzzy link, and the fuzzy match makes it again.
      if (this.parted.get(identity.id)?.from_identity_id === intoId) this.parted.delete(identity.id);
      else this.joined.set(identity.id, joinedBy(records, identity.id, intoId));
    }
    for (const change of records) {
      const moved = movedAccount(change, this.joined);
      if (moved) this.moved.set(change.record.id, moved);
    }
  }

  addCase({ record, tier, candidates }: Proposal): void {
    this.cases.set(record.id, {
      rule: tier.name,
      record: refOf(record),
      candidates: candidates
        .slice(0, listedCandidates)
        .map(({ score, record_id: other, identity_id }) => ({ score, other, identity_id })),
    });
  }

  result(): Result {
    return {
      joined: [...this.joined.values()].slice(0, listed),
      parted: [...this.parted.values()].slice(0, listed),
      moved: [...this.moved.values()].slice(0, listed),
      cases: [...this.cases.values()].slice(0, listed),
      cases_opened: this.cases.size + this.unlisted.cases,
      records_moved: this.recordsMoved,
      accounts_moved: this.moved.size + this.unlisted.moved,
      identities_joined: this.joined.size + this.unlisted.joined,
      identities_parted: this.parted.size + this.unlisted.parted,
    };
  }
}

/** Describes the link between a record of each identity. */
function joinedBy(records: readonly RecordChange[], fromId: string, intoId: string): Joined {
  const { moved, namesOther } = movedBetween(records, fromId, intoId);
  const { record } = moved.find((change) => namesOther(change.record.evidence)) ?? {};
  return { ...(record && shown(record, record.evidence)), from_identity_id: fromId, into_identity_id: intoId };
}

/** Describes the link that no longer holds. */
function partedBy(records: readonly RecordChange[], fromId: string, newId: string): Parted {
  const { moved, namesOther } = movedBetween(records, fromId, newId);
  const deciding = moved.find((change) => namesOther(change.before?.evidence));
  const { record, before } = deciding ?? moved.find((change) => change.record.kind === 'user') ?? {};
  return { ...(record && shown(record, before?.evidence)), new_identity_id: newId, from_identity_id: fromId };
}

/** Describes an account that gets another person, unless it follows a person who was joined. */
function movedAccount({ record, before }: RecordChange, joined: ReadonlyMap<string, Joined>): Moved | undefined {
  const from = before?.identityId;
  if (record.kind !== 'account' || !before || record.identityId === from) return undefined;
  const follows = from !== undefined && joined.get(from);
  if (follows && follows.into_identity_id === record.identityId) return undefined;
  const evidence = record.identityId ? record.evidence : before.evidence;
  return { ...shown(record, evidence), from_identity_id: from, into_identity_id: record.identityId };
}

function shown(record: StoredRecord, evidence: LinkEvidence | undefined) {
  if (!evidence) return { record: refOf(record) };
  const { kind, rule, score, record_id: other, values } = evidence;
  return { kind, rule, other, score, fields: values?.map(({ field }) => field), record: refOf(record) };
}

function refOf({ id, kind }: StoredRecord) {
  return { id, kind };
}
