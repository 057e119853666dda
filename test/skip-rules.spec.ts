import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { allowedSkips } from './setup/allowed-skips.mjs';
import { compareSkips } from './setup/skip-rules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const path = 'libs/a/src/a.spec.ts';
const ran = (title: string, suite = 'a suite') => ({ title, fullName: `${suite} ${title}`, skipped: false });
const skipped = (title: string, suite?: string) => ({ ...ran(title, suite), skipped: true });
const always = { because: 'the source does not support it', tests: { [path]: ['is skipped'] } };
const whenMissing = (isMissing: boolean) => ({ ...always, because: 'it is missing', when: () => isMissing });
const optional = { ...whenMissing(true), optional: true };
const problemsOf = async (tests: object[], ...groups: object[]) =>
  (await compareSkips([{ path, tests }], groups)).problems;

describe('the list of allowed skips', () => {
  it('allows a skipped test with its title, its full name or the name of its suite', async () => {
    for (const title of ['is skipped', 'a suite is skipped', 'a suite']) {
      expect(await problemsOf([skipped('is skipped')], { ...always, tests: { [path]: [title] } })).toEqual([]);
    }
  });

  it('returns the skipped tests by reason', async () => {
    const { reasons } = await compareSkips([{ path, tests: [skipped('is skipped'), ran('runs')] }], [always]);
    expect(reasons).toEqual([{ because: always.because, tests: [`${path}: a suite is skipped`] }]);
  });

  it('refuses a skipped test that it does not contain', async () => {
    const problem = `${path}: "a suite is new" was skipped, but it is not on the list of allowed skips`;
    expect(await problemsOf([skipped('is skipped'), skipped('is new')], always)).toEqual([problem]);
  });

  it('refuses a listed test that ran', async () => {
    const problem = `${path}: "is skipped" is on the list of allowed skips, but it ran`;
    expect(await problemsOf([ran('is skipped')], always)).toEqual([problem]);
    expect(await problemsOf([ran('is skipped')], whenMissing(true))).toEqual([problem]);
    expect(await problemsOf([ran('is skipped')], whenMissing(false))).toEqual([]);
  });

  it('refuses a listed suite of which one test ran', async () => {
    const problem = `${path}: "a suite" is on the list of allowed skips, but it ran`;
    const suite = { ...always, tests: { [path]: ['a suite'] } };
    expect(await problemsOf([skipped('is skipped'), ran('runs')], suite)).toEqual([problem]);
  });

  it('refuses a skipped test whose condition is false', async () => {
    const problem = `${path}: "a suite is skipped" was skipped, but it is not on the list of allowed skips`;
    expect(await problemsOf([skipped('is skipped')], whenMissing(false))).toEqual([problem]);
  });

  it('refuses a title that no test has, even if it is optional', async () => {
    const problem = `${path}: "is skipped" is on the list of allowed skips, but there is no such test`;
    for (const group of [always, whenMissing(false), optional])
      expect(await problemsOf([ran('is another')], group)).toEqual([problem]);
  });

  it('allows optional tests to run or to be skipped', async () => {
    expect(await problemsOf([ran('is skipped')], optional)).toEqual([]);
    expect(await problemsOf([skipped('is skipped')], optional)).toEqual([]);
  });

  it('evaluates no condition for a file that did not run', async () => {
    const fails = () => {
      throw new Error('evaluated');
    };
    const group = { ...always, when: fails, tests: { 'another.spec.ts': ['is skipped'] } };
    expect(await problemsOf([ran('runs')], group)).toEqual([]);
  });

  it('has every spec that skips suites without RabbitMQ', () => {
    const listed = allowedSkips.find(({ because }) => because === 'AMQP_URL is not set')?.tests ?? {};
    const skips = ['-e', '^eachBus(', '-e', 'hasBroker() *? *\\(it\\|describe\\)'];
    const found = execFileSync('git', ['grep', '-l', ...skips, '--', '*.spec.ts'], { encoding: 'utf8', cwd: root });
    const specs = found.split('\n').filter(Boolean);
    expect(specs.length).toBeGreaterThan(12);
    expect(specs.filter((spec) => listed[spec] === undefined)).toEqual([]);
  });
});
