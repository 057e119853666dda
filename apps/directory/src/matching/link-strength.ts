import type { Transaction } from '@idsync/database';
import { findUnfinishedJobs, type StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import type { Person } from './cluster.js';
import { isDeleted } from './record-keys.js';

export type LinkStrengthOf = (record: StoredRecord) => Person['linkStrength'];

/** A record, or what is known of its link. */
interface Linked {
  linkedBy?: string | null;
}

/**
 * How firmly records are linked. Links of an unfinished job are loose, because its later batches may change them, unless
 * the record had another identity before.
 */
export class LinkStrengths {
  private readonly unfinishedJobs = new Set<string>();
  private readonly knownJobs = new Set<string>();
  private readonly placed: ReadonlySet<string>;

  constructor(
    private readonly tx: Transaction,
    private readonly cause: Cause,
    changes: readonly RecordChange[],
  ) {
    this.placed = new Set(changes.flatMap((change) => (change.placed ? change.record.id : [])));
    if (cause.jobId === undefined) return;
    this.knownJobs.add(cause.jobId);
    this.unfinishedJobs.add(cause.jobId);
  }

  /** Looks up the jobs that have linked these records; call it before the strength of their links is asked for. */
  async load(records: readonly Linked[]): Promise<void> {
    const jobs = new Set<string>();
    for (const { linkedBy } of records) if (linkedBy && !this.knownJobs.has(linkedBy)) jobs.add(linkedBy);
    if (jobs.size === 0) return;
    for (const id of jobs) this.knownJobs.add(id);
    for (const id of await findUnfinishedJobs(this.tx, [...jobs])) this.unfinishedJobs.add(id);
  }

  readonly strengthOf: LinkStrengthOf = (record) => {
    if (record.decided) return 'manual';
    if (record.identityId === undefined || this.cause.reconsider) return 'loose';
    if (this.placed.has(record.id) || this.keptIdentityOf(record) !== undefined) return 'kept';
    return this.isUnfinished(record) ? 'loose' : 'kept';
  };

  /**
   * Returns the identity that a user or account had before an unfinished job moved it. Its link to that identity still
   * counts, because later batches may show that the move was wrong. A job moves a record that an operator has linked only
   * if it is an account that follows its person.
   */
  keptIdentityOf(record: StoredRecord): string | undefined {
    if (record.kind === 'machine_identity' || (record.kind === 'user' && record.decided)) return undefined;
    if (this.cause.reconsider || this.placed.has(record.id)) return undefined;
    return this.isUnfinished(record) ? record.keptIdentityId : undefined;
  }

  /** Whether a job that has not ended has linked the record. */
  isUnfinished({ linkedBy }: Linked): boolean {
    return typeof linkedBy === 'string' && this.unfinishedJobs.has(linkedBy);
  }
}

/** Returns true for an account or machine that keeps its identity regardless of its keys. */
export function isSettled(record: StoredRecord, linkStrengthOf: LinkStrengthOf): boolean {
  if (record.identityId === undefined) return false;
  return record.kind === 'account' ? linkStrengthOf(record) !== 'loose' || isDeleted(record) : record.decided;
}
