// `npm run mutants -- --area matching --sample 40`: changes the code in small ways and reports which changes no test
// notices. Options: --area (repeatable), --sample <mutants per area>, --seed, --since <commit> (changed lines only),
// --minutes, --floor <percent>, --unit (only specs without services), --file <part of its path>, --json <file>.
//
// StrykerJS has no operators for SQL, `await` or orders, runs Jest again for every mutant, and requires Node 22.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { areas } from './areas.mjs';
import { changedLines } from './changed-lines.mjs';
import { findMutants } from './operators.mjs';
import { printReport } from './report.mjs';
import { sampled } from './sample.mjs';
import { tryArea } from './try-area.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);
const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true, default: Object.keys(areas) },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    since: { type: 'string' },
    minutes: { type: 'string', default: '600' },
    floor: { type: 'string', default: '0' },
    unit: { type: 'boolean', default: false },
    file: { type: 'string' },
    json: { type: 'string' },
  },
});
const unknown = values.area.find((name) => !areas[name]);
if (unknown) {
  process.stderr.write(`--area must be one of ${Object.keys(areas).join(', ')}, got ${unknown}\n`);
  process.exit(2);
}

const equivalent = new Map(
  JSON.parse(readFileSync(new URL('equivalent.json', import.meta.url), 'utf8')).map((entry) => [entry.id, entry]),
);
for (const { id, file } of equivalent.values()) {
  const exists = existsSync(file) && findMutants(file, readFileSync(file, 'utf8')).some((mutant) => mutant.id === id);
  if (!exists) process.stderr.write(`equivalent.json: ${id} of ${file} no longer exists\n`);
}
const endsAt = Date.now() + Number(values.minutes) * 60_000;
const changed = values.since ? changedLines(values.since) : undefined;
const results = [];
for (const name of values.area) {
  const area = areas[name];
  const all = filesOf(area)
    .filter((file) => (!changed || changed.has(file)) && (!values.file || file.includes(values.file)))
    .flatMap((file) => findMutants(file, readFileSync(file, 'utf8')))
    .filter(({ file, line }) => !changed || changed.get(file).has(line));
  const candidates = all.filter(({ id }) => !equivalent.has(id));
  const mutants = values.sample ? sampled(candidates, Number(values.sample), values.seed) : candidates;
  const specs = area.specs.flatMap(alternatives).flatMap(specsOf);
  const outcomes = await tryArea(name, specs, mutants, endsAt);
  // Other specs may reach these.
  if (values.unit) for (const outcome of outcomes) if (outcome.status === 'not reached') outcome.status = 'open';
  results.push({ name, known: all.length - candidates.length, found: all.length, outcomes });
}
const score = printReport(results);
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
if (score < Number(values.floor)) process.exitCode = 1;

function filesOf({ sources, without = [] }) {
  const left = new Set(list(without));
  return list(sources).filter((file) => !file.endsWith('.spec.ts') && !left.has(file));
}

/** A pattern of unit tests matches no integration tests. */
function specsOf(pattern) {
  const isInt = pattern.endsWith('.int.spec.ts');
  if (isInt && values.unit) return [];
  return list([pattern]).filter((file) => file.endsWith('.int.spec.ts') === isInt);
}

/** Tracked files that match; braces are spelled out, since Git does not know them. */
function list(patterns) {
  const globs = patterns.flatMap(alternatives).map((pattern) => `:(glob)${pattern}`);
  if (globs.length === 0) return [];
  return execFileSync('git', ['ls-files', '--', ...globs], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

function alternatives(pattern) {
  const open = pattern.indexOf('{');
  const close = pattern.indexOf('}');
  if (open < 0) return [pattern];
  const names = pattern.slice(open + 1, close).split(',');
  return names.flatMap((name) => alternatives(pattern.slice(0, open) + name + pattern.slice(close + 1)));
}
