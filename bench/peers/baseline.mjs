// Ratios of a peer's CPU to idsync's that an earlier run measured. A higher ratio is better for idsync. Rates and latencies
// are printed only: the load of the machine changes even their ratios by more than a third.

/** The share of a ratio of the baseline that a run must reach; a busy machine changes them by less. */
const leastShare = 2 / 3;

/** Returns the part and a line for each ratio that is worse than in the baseline, or that was not measured. */
export function worseThan(baseline, ratios, parts) {
  return Object.entries(baseline)
    .map(([name, before]) => ({ part: name.split(':')[0], name, before, ratio: ratios.get(name) }))
    .filter(({ part, before, ratio }) => parts.includes(part) && !(ratio >= before * leastShare))
    .map(({ part, name, before, ratio }) => ({ part, line: `${name}: ${describe(ratio, before)}` }));
}

function describe(ratio, before) {
  if (ratio === undefined) return `not measured; the baseline has ${before}`;
  return `${ratio.toFixed(2)}; the baseline has ${before}, at least ${(before * leastShare).toFixed(2)} is required`;
}
