import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { queues } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { ownership } from '../libs/database/src/schema/ownership.js';

const run = promisify(execFile);

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md']);
const documents = listed.toString().split('\0').filter(Boolean);

describe('the Markdown documents', () => {
  it('link only to files and headings that exist', () => {
    const broken = documents.flatMap((path) =>
      linksIn(path)
        .filter(({ file, heading }) => !existsSync(file) || (heading && !headingsOf(file).includes(heading)))
        .map(({ target }) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('are all reachable from README.md and docs/README.md, if they are in docs', () => {
    const reached = new Set<string>();
    const waiting = ['README.md', 'docs/README.md'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      waiting.push(
        ...linksIn(path)
          .map(({ file }) => file)
          .filter((file) => documents.includes(file)),
      );
    }
    const unreached = documents.filter((path) => path.startsWith('docs/') && !reached.has(path));
    expect(unreached).toEqual([]);
  });
});

describe('docs/troubleshooting.md', () => {
  const symptoms = [...readFileSync('docs/troubleshooting.md', 'utf8').matchAll(/^\| ([^|]+) \|/gm)];
  const messages = symptoms
    .flatMap(([, symptom = '']) => [...symptom.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted))
    .filter((quoted) => quoted.split(' ').length > 2);

  it.each(messages)('quotes a message that the code contains: %s', async (message) => {
    const [longest = ''] = message.split('…').sort((a, b) => b.length - a.length);
    await run('git', ['grep', '--quiet', '--fixed-strings', longest.trim(), '--', 'apps', 'libs', ':!*.spec.ts']);
  });
});

describe('docs/running.md', () => {
  it('lists every variable of .env.example', () => {
    const settings = readFileSync('docs/running.md', 'utf8').split('\n## Settings\n')[1] ?? '';
    const variables = [...readFileSync('.env.example', 'utf8').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(variables).not.toEqual([]);
    for (const name of variables) expect(settings).toContain(`\`${name}\``);
  });
});

describe('ARCHITECTURE.md', () => {
  const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
  const firstColumn = (heading: string) =>
    [
      ...(architecture.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(
        /^\| (?!table |queue )([^|]+) \|/gm,
      ),
    ]
      .flatMap(([, cell = '']) => cell.split(', '))
      .map((name) => name.replaceAll('`', ''));

  it('lists every table of the services', () => {
    const tables = Object.keys(ownership).filter((table) => table !== 'idsync_migrations');
    expect(firstColumn('Data ownership').sort()).toEqual(tables.sort());
  });

  it('lists every queue', () => {
    expect(firstColumn('Queues').sort()).toEqual(Object.keys(queues).sort());
  });
});

/** Links to files of the repository. */
function linksIn(path: string): { target: string; file: string; heading: string }[] {
  const links = textOf(path).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links]
    .map(([, target = '']) => target)
    .filter((target) => !/^\w+:/.test(target))
    .map((target) => {
      const { pathname, hash } = new URL(target, `file:///${path}`);
      return { target, file: pathname.slice(1), heading: hash.slice(1) };
    });
}

/** Anchors of the headings, as GitHub makes them. */
function headingsOf(path: string): string[] {
  const headings = textOf(path).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A document without its examples. */
function textOf(path: string): string {
  return readFileSync(path, 'utf8')
    .split(/^ *```/m)
    .filter((_part, index) => index % 2 === 0)
    .join('');
}
