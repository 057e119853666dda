/** Returns numbers in [0, 1), determined by the seed (mulberry32). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns an integer in [least, most]. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Returns the items in random order. */
export function shuffled<T>(random: Random, things: readonly T[]): T[] {
  return things
    .map((thing) => ({ thing, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ thing }) => thing);
}
