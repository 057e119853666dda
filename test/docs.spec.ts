import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { queues } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { ownership } from '../libs/database/src/schema/ownership.js';

const run = promisify(execFile);

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md']);
const documents = listed.toString().split('\0').filter(Boolean);

describe('the Markdown documents', () => {
  it('link only to files and headings that exist', async () => {
    const options = ['--no-config', '--no-ignore', '--frail', '--quiet', '--no-stdout', '--no-color'];
    const links = ['--use', 'remark-validate-links=repository:false'];
    await run('node_modules/.bin/remark', [...options, ...links, ...documents]).catch(({ stderr }) => {
      throw new Error(stderr);
    });
  });

  it('are all reachable from README.md and docs/README.md, if they are in docs', () => {
    const reached = new Set<string>();
    const waiting = ['README.md', 'docs/README.md'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      waiting.push(...linkedDocuments(path));
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

function linkedDocuments(path: string): string[] {
  const targets = [...readFileSync(path, 'utf8').matchAll(/\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g)];
  return targets
    .map(([, target = '']) => new URL(target, `file:///${path}`).pathname.slice(1))
    .filter((target) => documents.includes(target));
}
