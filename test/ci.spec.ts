import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canStartPostgres } from './setup/allowed-skips.mjs';

const scripts = fileURLToPath(new URL('../.ci/', import.meta.url));
const given = ['CI_WITHOUT', 'CI_COMPOSE', 'CI_SINCE', 'CI_SEED', 'DATABASE_URL', 'AMQP_URL'];
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !given.includes(name)));

interface Outcome {
  code: number;
  output: string;
}

function run(file: string, words: string[], env: object = {}, cwd?: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, words, { cwd, env: { ...inherited, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'idsync-ci-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('.ci/services', () => {
  const servers: Server[] = [];
  /** Starts a server that sends this after the first bytes that it receives. */
  async function answering(answer: string): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.from(answer, 'latin1')));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }
  let postgres: number;
  let rabbit: number;
  let free: number;
  const at = (postgresPort: number, rabbitPort: number) => ({
    DATABASE_URL: `postgres://postgres@127.0.0.1:${postgresPort}/postgres`,
    AMQP_URL: `amqp://guest:guest@127.0.0.1:${rabbitPort}`,
  });
  const services = (env: object) => run(join(scripts, 'services'), [], env);

  beforeAll(async () => {
    postgres = await answering('N');
    rabbit = await answering('\x01');
    free = await freePort();
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it('passes if PostgreSQL and RabbitMQ answer', async () => {
    expect((await services(at(postgres, rabbit))).code).toBe(0);
  });

  it('fails and says what to start if one of them does not answer', async () => {
    const withoutPostgres = await services(at(free, rabbit));
    expect(withoutPostgres.code).toBe(1);
    expect(withoutPostgres.output).toContain(`postgresql does not answer on 127.0.0.1:${free}. Start it, or`);
    expect(withoutPostgres.output).not.toContain('rabbitmq does not answer');
    const withoutRabbit = await services(at(postgres, free));
    expect(withoutRabbit.code).toBe(1);
    expect(withoutRabbit.output).toContain(`rabbitmq does not answer on 127.0.0.1:${free}. Start it, or`);
  });

  it('fails if another service has the port', async () => {
    const { code, output } = await services(at(rabbit, postgres));
    expect(code).toBe(1);
    expect(output).toContain('postgresql does not answer');
    expect(output).toContain('rabbitmq does not answer');
  });

  it('passes without the services that CI_WITHOUT names, and prints them', async () => {
    const { code, output } = await services({ ...at(free, free), CI_WITHOUT: 'postgresql,rabbitmq' });
    expect(code).toBe(0);
    for (const name of ['postgresql', 'rabbitmq']) expect(output).toContain(`!! LEFT OUT: ${name}.`);
  });

  it('fails if CI_WITHOUT leaves out only the other service', async () => {
    expect((await services({ ...at(free, free), CI_WITHOUT: 'rabbitmq' })).code).toBe(1);
  });

  it('refuses a name in CI_WITHOUT that it does not know', async () => {
    const { code, output } = await services({ ...at(postgres, rabbit), CI_WITHOUT: 'rabbit' });
    expect(code).toBe(1);
    expect(output).toContain('CI_WITHOUT may name postgresql, rabbitmq and docker, got "rabbit"');
  });

  it('fails without Docker if CI_COMPOSE is set, unless CI_WITHOUT names it', async () => {
    const env = { ...at(postgres, rabbit), CI_COMPOSE: '1', DOCKER_HOST: `unix://${folder}/none` };
    const { code, output } = await services(env);
    expect(code).toBe(1);
    expect(output).toContain('docker info fails. Start Docker');
    expect((await services({ ...env, CI_WITHOUT: 'docker' })).code).toBe(0);
  });
});

describe('.ci/memory-servers', () => {
  const url = 'postgres://postgres:secret@127.0.0.1:5432/postgres';
  // In a folder of the test, because the script ends the servers of its folder.
  const servers = (env: object, ...words: string[]) => run(join(scripts, 'memory-servers'), words, env, folder);
  const database = async (DATABASE_URL: string, version: string) => {
    await writeFile(join(folder, 'psql'), `#!/usr/bin/env bash\necho ${version}\n`);
    await chmod(join(folder, 'psql'), 0o755);
    return servers({ DATABASE_URL, PATH: `${folder}:${process.env.PATH}` });
  };
  afterEach(() => servers({}, 'stop'));

  it.each([
    ['is on another machine', 'postgres://postgres:secret@db.example.org/postgres', '150018', 'not on this machine'],
    ['has a version whose programs are not here', url, '990001', 'programs of its version'],
  ])('leaves the tests to a PostgreSQL that %s, and says so', async (_, given, version, reason) => {
    const { code, output } = await database(given, version);
    expect(code).toBe(0);
    expect(output).toContain('the tests use the server of DATABASE_URL: ');
    expect(output).toContain(reason);
    expect(output).not.toContain('secret');
    expect(output).not.toContain('DATABASE_URL=');
  });

  it('leaves the tests to a PostgreSQL if none is installed here, and says so', async () => {
    await writeFile(join(folder, 'find'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { code, output } = await database(url, '');
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('programs of its version') });
  });

  (canStartPostgres() ? it : it.skip)('starts a PostgreSQL if none answers', async () => {
    const { code, output } = await database(url, '');
    expect(code).toBe(0);
    const [, started] = /^DATABASE_URL=(postgres:.*)$/m.exec(output) ?? [];
    const asked = await run('psql', [started ?? '', '-Atc', 'show fsync']);
    expect(asked).toEqual({ code: 0, output: 'off\n' });
  });

  it('leaves the tests to a RabbitMQ on another machine, and says so', async () => {
    const { code, output } = await servers({ AMQP_URL: 'amqp://guest:secret@mq.example.org' });
    expect(code).toBe(0);
    expect(output).toContain('the tests use the broker of AMQP_URL: it is not on this machine.');
    expect(output).not.toContain('secret');
    expect(output).not.toContain('AMQP_URL=');
  });

  it('has nothing to end if it was not started', async () => {
    expect(await servers({}, 'stop')).toEqual({ code: 0, output: '' });
  });
});

describe('.ci/programs', () => {
  const tools = ['bash', 'cp', 'dirname', 'grep', 'timeout'];
  const attempts = async () =>
    (await readFile(join(folder, 'attempts'), 'utf8').catch(() => '')).split('\n').length - 1;
  const addProgram = async (name: string, body: string) => {
    await writeFile(join(folder, name), `#!/usr/bin/env bash\n${body}\n`);
    await chmod(join(folder, name), 0o755);
  };
  /** Runs the script with a PATH that contains neither PHP nor Go, as a user with this id. */
  const programs = (uid = 0, ...packages: string[]) =>
    addProgram('id', `echo ${uid}`).then(() =>
      run(join(scripts, 'programs'), packages, { PATH: folder, HOME: folder }),
    );

  beforeEach(async () => {
    for (const tool of tools) {
      const found = ['/usr/bin', '/bin'].map((bin) => join(bin, tool)).find(existsSync);
      await symlink(found ?? tool, join(folder, tool));
    }
    await addProgram('sleep', `echo "slept $1"`);
  });

  it('installs what is missing at the third attempt, and prints what apt-get prints', async () => {
    await addProgram(
      'apt-get',
      `echo "$*" >>${folder}/attempts
      [[ "$*" == *update* ]] && { (($(grep -c update ${folder}/attempts) > 2)); exit; }
      for program in php go; do cp ${folder}/id ${folder}/$program; done
      echo 'Setting up php-cli'`,
    );
    const { code, output } = await programs(0, 'php-cli', 'golang-go');
    expect(output).toContain('slept 10\nslept 20\nSetting up php-cli\n');
    expect(code).toBe(0);
    expect(await attempts()).toBe(4);
  });

  it('fails with the list of what is missing if apt-get always fails', async () => {
    await addProgram('apt-get', `echo "$*" >>${folder}/attempts; echo 'no mirror' >&2; exit 100`);
    const { code, output } = await programs(0, 'php-cli', 'golang-go');
    expect(code).toBe(1);
    expect(output).toContain('no mirror');
    expect(output).toContain('.ci/programs: missing: php-cli golang-go.');
    expect(await attempts()).toBe(3);
  });

  it('fails if the installed package has no such program', async () => {
    await addProgram('apt-get', 'true');
    const { code, output } = await programs(0, 'php-cli');
    expect(code).toBe(1);
    expect(output).toContain('.ci/programs: missing: php-cli.');
  });

  it.each([0, 1000])('installs nothing if all programs are there, as user %d', async (uid) => {
    await addProgram('php', 'true');
    await addProgram('go', 'true');
    await addProgram('apt-get', `echo "$*" >>${folder}/attempts; exit 100`);
    expect(await programs(uid, 'php-cli', 'golang-go')).toEqual({ code: 0, output: '' });
    expect(await attempts()).toBe(0);
  });

  it('fails at once with the list of what is missing if the user may not install', async () => {
    await addProgram('apt-get', `echo "$*" >>${folder}/attempts`);
    const { code, output } = await programs(1000, 'php-cli');
    expect(code).toBe(1);
    expect(output).toContain('.ci/programs: missing: php-cli.');
    expect(await attempts()).toBe(0);
  });
});

describe('.ci/history', () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
  const history = () => run(join(folder, 'clone/.ci/history'), []);

  beforeEach(async () => {
    git('init', '--quiet', 'origin');
    for (const message of ['one', 'two'])
      git('-C', 'origin', 'commit', '--quiet', '--allow-empty', '--message', message);
  });
  const clone = async (...options: string[]) => {
    git('clone', '--quiet', ...options, `file://${folder}/origin`, 'clone');
    await mkdir(join(folder, 'clone/.ci'));
    await cp(join(scripts, 'history'), join(folder, 'clone/.ci/history'));
  };
  const commits = () => Number(git('-C', 'clone', 'rev-list', '--count', 'HEAD'));

  it('completes a shallow clone', async () => {
    await clone('--depth', '1');
    expect(commits()).toBe(1);
    expect((await history()).code).toBe(0);
    expect(commits()).toBe(2);
  });

  it('fails if the history of a shallow clone cannot be fetched', async () => {
    await clone('--depth', '1');
    await rm(join(folder, 'origin'), { recursive: true });
    const { code, output } = await history();
    expect(code).toBe(1);
    expect(output).toContain('the history of this shallow clone cannot be fetched. Clone it with its history.');
  });

  it('fetches nothing for a complete clone', async () => {
    await clone();
    await rm(join(folder, 'origin'), { recursive: true });
    expect(await history()).toEqual({ code: 0, output: '' });
  });
});

describe('.ci/run', () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.test', ...words], {
      encoding: 'utf8',
    }).trim();
  const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message);
  /** Runs it in a repository whose commands do nothing but note their words, and fail if those contain `failing`. */
  const ci = (failing = 'no words', ...words: string[]) => ciWith({}, failing, ...words);
  const ciWith = (more: object, failing: string, ...words: string[]) => {
    const env = { ...more, HOME: join(folder, 'home'), PATH: `${folder}/bin:${process.env.PATH}`, FAILING: failing };
    return run(join(folder, '.ci/run'), words, env);
  };
  const noted = async (file: string) => (await readFile(join(folder, file), 'utf8').catch(() => '')).trim().split('\n');
  /** The line of a step in the table at the end. */
  const outcomeOf = (step: string, output: string) =>
    output
      .slice(output.indexOf('== seconds of each step'))
      .split('\n')
      .find((line) => line.includes(step));
  const passed = () => noted('home/.cache/idsync-ci/passed');

  beforeEach(async () => {
    const root = join(scripts, '..');
    const files = ['tools/nightly-files.mjs', 'tools/command.mjs', 'test/tiers.mjs'];
    for (const file of ['.ci/run', ...files]) await cp(join(root, file), join(folder, file));
    await mkdir(join(folder, 'bin'));
    const fakes = ['services', 'history', 'programs', 'memory-servers', 'smoke'].map((name) => `.ci/${name}`);
    for (const file of [...fakes, 'bin/npm', 'bin/npx']) {
      const script = `#!/bin/sh\necho "\${0##*/} $*" >>"${folder}/ran"\ncase "$*" in *"$FAILING"*) exit 1 ;; esac\n`;
      await writeFile(join(folder, file), script, { mode: 0o755 });
    }
    // Fakes print nothing, so nothing is exported.
    await writeFile(join(folder, '.gitignore'), 'ran\nhome\n');
    git('init', '--quiet');
    git('add', '.');
    commit('first');
  });

  it('prints the seconds of each step and what it left out, and notes the tree that passed', async () => {
    const { code, output } = await ci();
    expect({ code, output }).toEqual({ code: 0, output });
    expect(outcomeOf('check:openapi', output)).toMatch(/^ok \d/);
    expect(output).toMatch(/^!! LEFT OUT since \w+: \d+ nightly files whose cause has not changed\n {3}test\/upgrade/m);
    expect(await passed()).toEqual([
      expect.stringMatching(`^${git('rev-parse', 'HEAD^{tree}')} ${git('rev-parse', 'HEAD')} \\d+$`),
    ]);
  });

  it('also notes the nightly files for which there was no time, and runs them first the next time', async () => {
    const tiers = await readFile(join(folder, 'test/tiers.mjs'), 'utf8');
    await writeFile(join(folder, 'test/tiers.mjs'), tiers.replace('left = 8 * 60 * 3', 'left = 40'));
    git('commit', '--quiet', '--all', '--message', 'less time');
    await ci();
    await ci();
    const [[owed] = [], later] = (await passed()).map((line) => line.split(' ').slice(3));
    expect(owed).toMatch(/^test\/.*\.spec\.ts$/);
    expect(later).not.toContain(owed);
  });

  it('names the files that were repeated at the end', async () => {
    const script = '#!/bin/sh\necho test/a.spec.ts >>"$IDSYNC_TEST_FLAKY"\n';
    await writeFile(join(folder, 'bin/npx'), script, { mode: 0o755 });
    const { output } = await ci();
    expect(output.split('== seconds of each step')[1]).toMatch(/^!! FLAKY: .*: test\/a\.spec\.ts$/m);
  });

  it('says that the servers in memory neither start nor stop', async () => {
    await writeFile(join(folder, '.ci/memory-servers'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { code, output } = await ci();
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('!! .ci/memory-servers failed') });
    expect(output).toContain('!! .ci/memory-servers stop failed');
    expect(outcomeOf('check:openapi', output)).toMatch(/^ok \d/);
  });

  it('notes nothing for changes that are not committed', async () => {
    await writeFile(join(folder, 'change'), '');
    expect((await ci()).code).toBe(0);
    expect(await passed()).toEqual(['']);
  });

  it('notes nothing if CI_SINCE is given, because it may leave out nightly tests', async () => {
    expect((await ciWith({ CI_SINCE: 'HEAD' }, 'no words')).code).toBe(0);
    expect(await passed()).toEqual(['']);
  });

  it('notes nothing if services were left out, or if another commit was made in the meantime', async () => {
    expect((await ciWith({ CI_WITHOUT: 'rabbitmq' }, 'no words')).code).toBe(0);
    const commits = `git -C "${folder}" -c user.name=a -c user.email=a@b commit -q --allow-empty -m later`;
    await writeFile(join(folder, '.ci/smoke'), `#!/bin/sh\n${commits}\n`, { mode: 0o755 });
    git('commit', '--quiet', '--all', '--message', 'commits');
    expect((await ci()).code).toBe(0);
    expect(await passed()).toEqual(['']);
  });

  it.each([
    ['SIGHUP', 129, 'the step that runs', 'bin/npm', ''],
    ['SIGINT', 130, 'the step that runs', 'bin/npm', ''],
    ['SIGTERM', 143, 'a step that starts a process that ignores the signal', 'bin/npm', 'trap "" TERM;'],
    ['SIGTERM', 143, 'the start of the servers in memory', '.ci/memory-servers', ''],
  ] as const)('ends at %s with code %d after %s', async (signal, code, _, program, ignore) => {
    const pidFile = join(folder, 'home', 'pids');
    await mkdir(join(folder, 'home'));
    const script = `#!/bin/sh
      [ "$1" != stop ] || exit 0
      sh -c '${ignore} echo $$ >>"${pidFile}"; exec sleep 100' &
      echo $$ >>"${pidFile}"
      wait`;
    await writeFile(join(folder, program), script, { mode: 0o755 });
    const env = {
      ...inherited,
      HOME: join(folder, 'home'),
      PATH: `${folder}/bin:${process.env.PATH}`,
      FAILING: 'none',
    };
    const child = spawn(join(folder, '.ci/run'), { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const pids = await until(async () => {
      const lines = (await noted('home/pids')).map(Number);
      return lines.length === 2 && lines;
    }, 'processes that run');
    child.kill(signal);
    expect(await ended).toBe(code);
    await until(() => !pids.some(isRunning), 'the end of the processes');
  });

  it('stops at a step that fails, and names the steps that did not run', async () => {
    const { code, output } = await ci('run check:openapi');
    expect(code).toBe(1);
    expect(outcomeOf('check:openapi', output)).toMatch(/^failed \d/);
    expect(outcomeOf('npm test', output)).toMatch(/^did not run /);
    expect(output).toMatch(/^== FAILED/m);
    expect(await passed()).toEqual(['']);
  });

  it('runs the nightly tests of what changed since the newest commit that passed', async () => {
    const first = git('rev-parse', 'HEAD');
    await ci();
    commit('second');
    await ci('run check:openapi');
    await ci();
    const second = git('rev-parse', 'HEAD');
    commit('third');
    await ci();
    git('checkout', '--quiet', first);
    commit('of another branch');
    await ci();
    const bases = (await noted('ran')).flatMap((line) => /--since (\w+)/.exec(line)?.[1] ?? []);
    expect(bases).toEqual([first, first, second, first]);
  });

  it('runs every step of --all though one fails, and again only what has not passed on this tree', async () => {
    const { code, output } = await ci('bench:peers', '--all');
    expect(code).toBe(1);
    expect(outcomeOf('bench:peers', output)).toMatch(/^failed \d/);
    expect(outcomeOf('test:chaos', output)).toMatch(/^ok \d/);
    const first = (await noted('ran')).length;
    expect((await ci('no words', '--all')).code).toBe(0);
    const second = (await noted('ran')).slice(first);
    expect(second.filter((line) => /^np[mx]/.test(line) && line !== 'npm ci --no-audit --no-fund')).toEqual([
      expect.stringContaining('bench:peers'),
    ]);
  });

  it('refuses a CI_SINCE that is no commit', async () => {
    const output = '.ci/run: CI_SINCE must be a commit, got nothing\n';
    expect(await ciWith({ CI_SINCE: 'nothing' }, 'no words')).toEqual({ code: 2, output });
  });

  it('refuses other words', async () => {
    expect(await ci('no words', '--everything')).toEqual({
      code: 2,
      output: expect.stringContaining('usage: .ci/run'),
    });
  });
});
