// Prints the nightly test files that the changes since a commit concern, which `npm test -- <file>…` runs; with --left-out,
// those that CI does not run, and why.
import { filesOf, nightlyInCi, nightlySince } from '../test/tiers.mjs';

const [mode, commit = mode] = process.argv.slice(2);
const touched = nightlySince(commit);
if (mode === '--left-out') {
  const ran = new Set(nightlyInCi(commit));
  printLeftOut(
    'for which there was no time',
    touched.filter((file) => !ran.has(file)),
  );
  printLeftOut(
    'whose cause has not changed',
    filesOf('nightly').filter((file) => !touched.includes(file)),
  );
} else process.stdout.write(touched.map((file) => `${file}\n`).join(''));

function printLeftOut(why, files) {
  const which = files.map((file) => `\n   ${file}`).join('');
  process.stdout.write(`!! LEFT OUT since ${commit}: ${files.length} nightly files ${why}${which}\n`);
}
