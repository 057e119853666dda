// Prints the nightly test files that the changes since a commit concern, which `npm test -- <file>…` runs; with --left-out,
// how many others there are, and which.
import { filesOf, nightlySince } from '../test/tiers.mjs';

const [mode, commit = mode] = process.argv.slice(2);
const touched = nightlySince(commit);
if (mode === '--left-out') {
  const others = filesOf('nightly').filter((file) => !touched.includes(file));
  const which = others.map((file) => `\n   ${file}`).join('');
  process.stdout.write(
    `!! LEFT OUT: ${others.length} nightly files, whose cause has not changed since ${commit}.${which}\n`,
  );
} else process.stdout.write(touched.map((file) => `${file}\n`).join(''));
