/** Jaro-Winkler similarity, which weights the first letters because they are seldom wrong in names. */
export function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(Math.floor(Math.max(a.length, b.length) / 2) - 1, 0);
  const taken = new Set<number>();
  const matchedA: string[] = [];
  for (let at = 0; at < a.length; at += 1) {
    for (let other = Math.max(0, at - reach); other <= Math.min(b.length - 1, at + reach); other += 1) {
      if (taken.has(other) || a[at] !== b[other]) continue;
      taken.add(other);
      matchedA.push(a.charAt(at));
      break;
    }
  }
  const m = matchedA.length;
  if (m === 0) return 0;
  const matchedB = [...taken].sort((x, y) => x - y).map((at) => b.charAt(at));
  const moved = matchedA.filter((letter, at) => letter !== matchedB[at]).length / 2;
  const jaro = (m / a.length + m / b.length + (m - moved) / m) / 3;
  let prefix = 0;
  while (prefix < 4 && prefix < a.length && a[prefix] === b[prefix]) prefix += 1;
  return jaro + prefix * 0.1 * (1 - jaro);
}
