// Prints the nightly test files that the changes since a commit concern, which `npm test -- <file>…` runs; with --owed those
// for which CI has no time, and with --left-out all that CI does not run, and why.
import { filesOf, nightlyInCi, nightlySince } from '../test/tiers.mjs';
import { commitOf } from './command.mjs';

const [mode, since = mode] = process.argv.slice(2);
const commit = commitOf(since);
const { run, owed } = nightlyInCi(commit);
if (mode === '--left-out') {
  printLeftOut('for which there was no time', owed);
  const unchanged = filesOf('nightly').filter((file) => ![...run, ...owed].includes(file));
  printLeftOut('whose cause has not changed', unchanged);
} else {
  const files = mode === '--owed' ? owed : nightlySince(commit);
  process.stdout.write(files.map((file) => `${file}\n`).join(''));
  if (mode === since && files.length === 0)
    process.stderr.write(`no nightly test file concerns the changes since ${since}\n`);
}

function printLeftOut(why, files) {
  const which = files.map((file) => `\n   ${file}`).join('');
  process.stdout.write(`!! LEFT OUT since ${commit}: ${files.length} nightly files ${why}${which}\n`);
}
