// Checks messages for Conventional Commits: one in a file, as the hook `commit-msg` does, or those of the commits since
// another one (`--since main`). The scope is a package, or another part of the repository.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const types = 'bench build chore ci docs feat fix merge perf refactor revert style test'.split(' ');
const packages = ['apps', 'libs'].flatMap((folder) => readdirSync(new URL(`../${folder}`, import.meta.url)));
const scopes = [...packages, ...'adr bench chaos ci compose deps deps-dev e2e k8s observability tools'.split(' ')];

const [word, since] = process.argv.slice(2);
const log = ['log', '--no-merges', '--format=%B%x00', `${since}..HEAD`];
const messages =
  word === '--since' ? execFileSync('git', log, { encoding: 'utf8' }).split('\0') : [readFileSync(word, 'utf8')];
for (const message of messages.map((text) => text.trimStart()).filter(Boolean)) {
  const problem = problemOf(message);
  if (!problem) continue;
  process.stderr.write(`${message.split('\n')[0]}\n  ${problem}\n`);
  process.exitCode = 1;
}

function problemOf(message) {
  const [header, blank = ''] = message.split('\n');
  // Git makes these.
  if (/^(?:Merge |Revert "|(?:fixup|squash|amend)! )/.test(header)) return undefined;
  const [, type, scope, subject] = /^(\w+)(?:\(([\w,-]+)\))?!?: (\S.*)$/.exec(header) ?? [];
  const unknown = scope?.split(',').find((each) => !scopes.includes(each));
  if (!subject) return 'the first line must be `type(scope): subject`';
  if (!types.includes(type)) return `the type must be one of ${types.join(', ')}, got ${type}`;
  if (unknown) return `the scope must be of ${scopes.join(', ')}, got ${unknown}`;
  if (header.length > 120) return `the first line has ${header.length} characters, of 120`;
  if (subject.endsWith('.')) return 'the subject must not end with a full stop';
  return blank.trim() === '' ? undefined : 'the second line must be empty';
}
