// Review cases over time: "Review cases" of docs/directory.md.
import type { Dispute } from './disputes.js';
import type { Entry } from './types.js';

export interface ReviewCase {
  entry: Entry;
  candidates: readonly number[];
  status: 'open' | 'linked' | 'new' | 'ignored' | 'settled';
}

export class Cases {
  all: ReviewCase[] = [];

  open(): ReviewCase[] {
    return this.all.filter(({ status }) => status === 'open');
  }

  /** The cases of erased records are deleted. */
  forget(erased: readonly Entry[]): void {
    this.all = this.all.filter(({ entry }) => !erased.includes(entry));
  }

  /** Opens, updates and closes cases after a match. */
  update(disputes: readonly Dispute[]): void {
    for (const review of this.open()) {
      if (!disputes.some(({ entry }) => entry === review.entry)) review.status = 'settled';
    }
    for (const { entry, candidates } of disputes) {
      const ofRecord = this.all.filter((review) => review.entry === entry);
      const open = ofRecord.find(({ status }) => status === 'open');
      // An ignored case is opened again only for a new candidate.
      const decided = ofRecord.findLast(({ status }) => status !== 'open' && status !== 'settled');
      const isIgnored =
        decided?.status === 'ignored' && candidates.every((candidate) => decided.candidates.includes(candidate));
      if (open && isIgnored) open.status = 'settled';
      else if (open) open.candidates = candidates;
      else if (!isIgnored) this.all.push({ entry, candidates, status: 'open' });
    }
  }
}
