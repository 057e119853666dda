/** Words beside a name: titles, forms of address, degrees, and remarks in exports of personnel systems. */
export const titles = wordsOf(`
  dr prof professor mr mrs miss mx herr frau mag ing dipl med jur phil habil rer nat mba msc bsc phd
  extern ext external intern azubi contractor temp
`);

/** Words that belong to many surnames. They can also be a name, so one other word is not enough without them. */
export const particles = wordsOf(`
  von van vom der den de dem des du d la le les di da do dal del della dos das el al bin ibn ben zu zur zum ter ten te af
  av st san santa abu
`);

/** Words by which a son is distinguished from his father. */
export const generations = wordsOf('jun jr junior sen sr senior ii iii iv');

/** Returns the words that distinguish a name from others, without generations. */
export function essentialWords(words: readonly string[]): readonly string[] {
  const names = words.filter((word) => !titles.has(word) && !generations.has(word));
  const distinct = names.filter((word) => !particles.has(word));
  return distinct.length >= 2 ? distinct : names;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
