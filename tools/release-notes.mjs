// `npm run --silent release-notes`: prints the notes of the release in package.json, which are its section of CHANGELOG.md and the
// commits since the previous tag. The first release has no such tag, and no list of commits.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installApart } from './install-apart.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const section = sections.find((each) => each.startsWith(`${version} (`)) ?? '';
const [heading, ...text] = section.split('\n');
if (!/\(\d{4}-\d\d-\d\d\)$/.test(heading)) {
  process.stderr.write(`CHANGELOG.md must have a section "## ${version} (YYYY-MM-DD)", got "${heading}"\n`);
  process.exit(1);
}
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
const files = repository ? `${server}/${repository}/blob/v${version}/` : '';
process.stdout.write(
  `${text
    .join('\n')
    .trim()
    .replace(/\]\((?!\w+:)/g, `](${files}`)}\n`,
);

const tag = previousTag();
if (tag) {
  const folder = new URL('release/', import.meta.url);
  installApart(folder);
  const [program, config] = ['node_modules/.bin/git-cliff', 'cliff.toml'].map((path) => new URL(path, folder));
  const commits = execFileSync(fileURLToPath(program), ['--config', fileURLToPath(config), `${tag}..HEAD`], {
    encoding: 'utf8',
    // Hides its warnings about commits of other kinds.
    stdio: 'pipe',
  });
  process.stdout.write(`\n## Commits since ${tag}\n\n${commits.trim()}\n`);
}

/** Returns the newest tag before HEAD, which may have the tag of this release. */
function previousTag() {
  const words = ['describe', '--tags', '--abbrev=0', '--match', 'v*', '--exclude', `v${version}`];
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}
