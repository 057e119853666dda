// Runs one spec with some mutants, in as many processes as that takes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGroup } from '../command.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const jest = 'node_modules/jest/bin/jest.js';
/** Limits the start of a process and the run without mutants. */
const startMs = 300_000;
/** A test that timed out may keep its process alive. */
const exitMs = 10_000;

/**
 * Returns the result of each mutant that the spec reaches, why the spec cannot be used, if so, and whether the time was
 * over before all were tried.
 *
 * @param {string} spec
 * @param {import('./operators.mjs').Mutant[]} mutants
 * @returns {Promise<{ results: Map<string, { status: string, by?: string }>, broken?: string, unfinished?: boolean }>}
 */
export async function trySpec(spec, mutants, endsAt) {
  const results = new Map();
  let left = mutants.map(({ id }) => id);
  let onImport = [];
  while (left.length > 0 && Date.now() < endsAt) {
    const run = await runOnce(spec, mutants, { try: left }, endsAt);
    // A process that was ended because the time was over has no result either.
    if (run.broken && Date.now() < endsAt) return { results, broken: run.broken };
    for (const [id, result] of run.results) results.set(id, result);
    onImport = run.onImport ?? onImport;
    const reached = new Set(run.reached);
    left = left.filter((id) => reached.has(id) && !results.has(id));
    if (run.results.size === 0 && !run.again) break;
    if (run.again) left = [run.again, ...left.filter((id) => id !== run.again)];
  }
  if (Date.now() >= endsAt) return { results, unfinished: true };
  // Code that runs on import has run before a mutant became active, so these need a process each.
  for (const id of onImport) {
    if (Date.now() >= endsAt) return { results, unfinished: true };
    if (results.has(id) && results.get(id).status !== 'survived') continue;
    const run = await runOnce(spec, mutants, { try: [], onImport: id }, endsAt);
    if (Date.now() >= endsAt) return { results, unfinished: true };
    results.set(id, run.results.get(id) ?? { status: 'noticed', by: 'the import of the spec' });
  }
  return { results };
}

async function runOnce(spec, mutants, chosen, endsAt) {
  const folder = mkdtempSync(join(tmpdir(), 'idsync-mutants-'));
  const plan = join(folder, 'plan.json');
  const results = join(folder, 'results.jsonl');
  try {
    const placed = mutants.map((mutant) => ({ ...mutant, path: join(root, mutant.file) }));
    writeFileSync(plan, JSON.stringify({ mutants: placed, results, ...chosen }));
    writeFileSync(results, '');
    const output = await runJest(spec, plan, results, endsAt);
    const run = read(results, Date.now() < endsAt);
    if (run.lines === 0 && !chosen.onImport) run.broken = `no result:\n${output.slice(-2_000)}`;
    return run;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runJest(spec, plan, results, endsAt) {
  return new Promise((resolve) => {
    const args = [jest, '--config', 'tools/mutants/jest.config.mjs', '-i', '--runTestsByPath', spec];
    const env = { ...process.env, IDSYNC_MUTANTS_PLAN: plan, FORCE_COLOR: '0' };
    const child = startGroup(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const began = Date.now();
    let since = began;
    let seen = 0;
    // A mutant may loop without end, which no timer in its process can interrupt.
    const watch = setInterval(() => {
      const { lines, ended, limitMs = startMs } = read(results);
      if (lines !== seen) since = Date.now();
      seen = lines;
      if (Date.now() - since > (ended ? exitMs : limitMs) || Date.now() > endsAt + 30_000)
        process.kill(-child.pid, 'SIGKILL');
    }, 500);
    child.on('close', () => {
      clearInterval(watch);
      resolve(output);
    });
  });
}

/** `inTime` is false if the process was ended because the time was over. */
function read(file, inTime = true) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const run = { lines: lines.length, results: new Map() };
  let begun;
  for (const line of lines) {
    if (line.begun) {
      begun = line.begun;
      run.limitMs = line.limitMs;
    } else if (line.id) {
      run.results.set(line.id, { status: line.status, by: line.by });
      begun = undefined;
      run.limitMs = undefined;
    } else {
      Object.assign(run, line);
      begun = undefined;
    }
  }
  // The process was ended while it tried this mutant.
  if (begun && inTime) run.results.set(begun, { status: 'timed out' });
  return run;
}
