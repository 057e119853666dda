// Ratios of a peer's CPU to idsync's that an earlier run measured. A higher ratio is better for idsync. Rates and latencies
// are printed only: the load of the machine changes even their ratios by more than a third.

/** The share of a ratio of the baseline that a run must reach; a busy machine changes them by less. */
const leastShare = 2 / 3;

/** Returns a line for each ratio that is worse than in the baseline, or that was not measured. */
export function worseThan(baseline, ratios, parts) {
  const measured = new Map(ratios);
  return Object.entries(baseline)
    .filter(([name]) => parts.includes(name.split(':')[0]))
    .flatMap(([name, before]) => {
      const ratio = measured.get(name);
      if (ratio === undefined) return [`${name}: not measured; the baseline has ${before}`];
      if (ratio >= before * leastShare) return [];
      return [
        `${name}: ${ratio.toFixed(2)}; the baseline has ${before}, at least ${(before * leastShare).toFixed(2)} is required`,
      ];
    });
}
