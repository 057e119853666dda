import { execFileSync } from 'node:child_process';

/** Returns the numbers of the lines that were added or changed since a commit, by file. */
export function changedLines(since) {
  const base = execFileSync('git', ['merge-base', since, 'HEAD'], { encoding: 'utf8' }).trim();
  const diff = execFileSync('git', ['diff', '--unified=0', '--no-color', base, '--', '*.ts'], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const changed = new Map();
  let lines = new Set();
  for (const line of diff.split('\n')) {
    const [, file] = /^\+\+\+ b\/(.+)$/.exec(line) ?? [];
    if (file) {
      lines = new Set();
      changed.set(file, lines);
    }
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let at = Number(from); at < Number(from) + Number(count); at += 1) lines.add(at);
  }
  return changed;
}
