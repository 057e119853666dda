const unnoticed = new Set(['survived', 'not reached']);

/** Prints the survivors and the score of each area, and returns the score of all in percent. */
export function printReport(results) {
  const print = (line = '') => process.stdout.write(`${line}\n`);
  for (const { name, outcomes } of results) {
    const survivors = outcomes.filter(({ status }) => unnoticed.has(status));
    if (survivors.length > 0) print(`\n== ${name}: no test notices`);
    for (const { id, file, line, operator, was, becomes, status } of survivors) {
      print(`\n${file}:${line} ${operator} ${id}${status === 'not reached' ? ', reached by no test' : ''}`);
      const [one, other] = difference(was, becomes);
      print(`  - ${one}`);
      print(`  + ${other || '(removed)'}`);
    }
  }
  print('\narea         mutants  noticed  survived  not reached  open  equivalent  score');
  const row = (name, all, known) => {
    const outcomes = all.filter(({ status }) => status !== 'open');
    const count = (status) => outcomes.filter((outcome) => outcome.status === status).length;
    const noticed = outcomes.filter(({ status }) => !unnoticed.has(status)).length;
    const score = outcomes.length === 0 ? 100 : (100 * noticed) / outcomes.length;
    const cells = [
      outcomes.length,
      noticed,
      count('survived'),
      count('not reached'),
      all.length - outcomes.length,
      known,
      `${score.toFixed(1)} %`,
    ];
    const widths = [7, 9, 10, 13, 6, 12, 9];
    print(name.padEnd(13) + cells.map((cell, index) => String(cell).padStart(widths[index])).join(''));
    return score;
  };
  for (const { name, outcomes, known } of results) row(name, outcomes, known);
  const everything = results.flatMap(({ outcomes }) => outcomes);
  return row(
    'all',
    everything,
    results.reduce((sum, { known }) => sum + known, 0),
  );
}

/** Shortens two texts to the lines in which they differ. */
function difference(was, becomes) {
  const one = was.split('\n');
  const other = becomes.split('\n');
  if (becomes === '' || one.length !== other.length)
    return [was, becomes].map((text) => text.replace(/\s+/g, ' ').slice(0, 200));
  const at = one.findIndex((line, index) => line !== other[index]);
  return [one[at]?.trim(), other[at]?.trim()];
}
