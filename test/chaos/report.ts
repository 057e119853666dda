import type { Counts } from '../support/delivery-proof.js';
import type { Verdict } from './compare.js';
import type { FaultKind } from './plan.js';
import type { Tenants } from './tenants.js';

interface End {
  verdict: Verdict;
  settledMs: number;
  counts: Counts;
  tenants: Tenants;
}

/** The output of a run: faults by kind, recovery times, and counts of the comparison. */
export class Report {
  private readonly all = { faults: new Map<FaultKind, number>(), recoveries: new Map<FaultKind, number[]>() };
  private now = new Map<FaultKind, number>();
  private rounds = 0;
  private lines: Record<string, unknown> = {};

  constructor(private readonly seed: number) {}

  begin(round: number): void {
    this.rounds = round;
    this.now = new Map();
  }

  countFault(kind: FaultKind): void {
    for (const counted of [this.now, this.all.faults]) counted.set(kind, (counted.get(kind) ?? 0) + 1);
  }

  recovered(kind: FaultKind, milliseconds: number): void {
    this.all.recoveries.set(kind, [...(this.all.recoveries.get(kind) ?? []), milliseconds]);
  }

  end(round: number, { verdict, settledMs, counts, tenants }: End): void {
    const subscribers = [...tenants.subscribers.values()];
    this.lines = {
      seed: this.seed,
      round,
      faults: Object.fromEntries(this.now),
      settled_seconds: Math.round(settledMs / 1_000),
      records: tenants.all.reduce(
        (sum, { sources }) => sum + sources.reduce((rows, each) => rows + each.rows.size, 0),
        0,
      ),
      jobs: tenants.jobs.size,
      events: counts.facts,
      deliveries: counts.deliveries,
      requests: subscribers.reduce((sum, { requests }) => sum + requests, 0),
      repeats: subscribers.reduce((sum, { repeats }) => sum + repeats, 0),
      lost: verdict.lost.length,
      doubled: verdict.doubled.length,
      wrong: verdict.wrong.length,
    };
  }

  /** The result of the last round. */
  round(): string {
    return JSON.stringify(this.lines);
  }

  total(kinds: readonly FaultKind[]): string {
    const total = [...this.all.faults.values()].reduce((sum, count) => sum + count, 0);
    const lines = kinds.map((kind) => {
      const count = this.all.faults.get(kind) ?? 0;
      const times = [...(this.all.recoveries.get(kind) ?? [])].sort((a, b) => a - b).map((ms) => ms / 1_000);
      const [median, longest] = [times[Math.floor(times.length / 2)], times.at(-1)];
      const recovery = median === undefined ? '' : `median ${median.toFixed(1)} s, longest ${longest?.toFixed(1)} s`;
      return `  ${kind.padEnd(18)}${String(count).padStart(4)}  ${recovery}`;
    });
    return [`${total} faults in ${this.rounds} rounds, and the recovery after each single fault:`, ...lines].join('\n');
  }
}
