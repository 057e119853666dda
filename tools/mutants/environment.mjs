// The Jest environment of `npm run mutants`. Loads a spec once and runs the tests that reach a mutant, for one mutant
// after another. Writes a line of JSON to the plan's `results` for each.
import { appendFileSync, readFileSync } from 'node:fs';
import { TestEnvironment } from 'jest-environment-node';
import { runTests, testsOf } from './repeat-tests.mjs';

const plan = JSON.parse(readFileSync(process.env.IDSYNC_MUTANTS_PLAN, 'utf8'));
const report = (line) => appendFileSync(plan.results, `${JSON.stringify(line)}\n`);
const minLimitMs = 5_000;

export default class MutantEnvironment extends TestEnvironment {
  /** While the spec is loaded, this is a mutant of code that runs on import, if the plan has one. */
  #active = plan.onImport;
  #owner = 'import';
  /** Ids of mutants by the test or block that reaches them. */
  #reached = new Map([['import', new Set()]]);
  #uncaught = new Map();
  #done = false;

  async setup() {
    await super.setup();
    this.global.idsyncMutant = (id) => {
      this.#reached.get(this.#owner)?.add(id);
      return id === this.#active;
    };
  }

  async handleTestEvent(event, state) {
    if (event.name === 'error') this.#uncaught.set(event.promise ?? event.error, event.error);
    if (event.name === 'error_handled') this.#uncaught.delete(event.promise);
    if (event.name !== 'run_start' || this.#done) return;
    this.#done = true;
    const tests = testsOf(state.rootDescribeBlock);
    await this.#tryMutants(state.rootDescribeBlock, tests);
    report({ ended: true });
    // Jest itself runs nothing more.
    for (const test of tests) test.mode = 'skip';
  }

  async #tryMutants(root, tests) {
    const durations = new Map();
    if (plan.onImport) {
      const failure = await this.#run(root, new Set(tests), () => 120_000);
      report({ id: plan.onImport, status: failure ? 'noticed' : 'survived', by: nameOf(failure) });
      return;
    }
    const failure = await this.#measure(root, tests, durations);
    if (failure) {
      report({ broken: `${nameOf(failure)}: ${String(failure.error?.message ?? failure.error).slice(0, 2_000)}` });
      return;
    }
    const limitMs = (test) => minLimitMs + 10 * (durations.get(test) ?? 0);
    const onImport = [...this.#reached.get('import')];
    const reaching = new Map(plan.try.map((id) => [id, tests.filter((test) => this.#reaches(test, id))]));
    report({
      reached: plan.try.filter((id) => reaching.get(id).length > 0),
      onImport: plan.try.filter((id) => onImport.includes(id)),
    });
    let tried = 0;
    for (const [id, chosen] of reaching) {
      if (chosen.length === 0) continue;
      // The tests of a spec may build on each other: then all of them run, not only those that reach the mutant.
      const apart = tried > 0 || (await this.#run(root, new Set(chosen), limitMs)) === undefined;
      const set = new Set(apart ? chosen : tests);
      const once = apart ? undefined : await this.#run(root, set, limitMs);
      // Otherwise every mutant would seem to be noticed.
      if (once) {
        report({ broken: `${nameOf(once)} fails when the tests run a second time in a process` });
        return;
      }
      // The limit begins again with each test, so that an endless loop soon ends.
      const entering = (owner) => report({ begun: id, limitMs: limitMs(owner) + 60_000 });
      this.#active = id;
      const found = await this.#run(root, set, limitMs, entering);
      this.#active = undefined;
      if (!found) {
        report({ id, status: 'survived' });
        tried += 1;
        continue;
      }
      // Only counts if the same tests pass without the mutant. Otherwise state that an earlier mutant left may be the
      // cause, and the mutant is tried again as the first of a new process.
      const timedOut = found.error?.timedOut === true;
      const healthy = !timedOut && (await this.#run(root, set, limitMs, entering)) === undefined;
      if (healthy || timedOut || tried === 0)
        report({ id, status: timedOut ? 'timed out' : 'noticed', by: nameOf(found) });
      else report({ again: id });
      if (!healthy) return;
      tried += 1;
    }
  }

  #reaches(test, id) {
    if (this.#reached.get(test)?.has(id)) return true;
    for (let block = test.parent; block; block = block.parent) if (this.#reached.get(block)?.has(id)) return true;
    return false;
  }

  /** Runs all tests without a mutant, and notes what each of them reaches and how long it takes. */
  async #measure(root, tests, durations) {
    let began = performance.now();
    let owner;
    const entering = (next) => {
      if (owner) durations.set(owner, (durations.get(owner) ?? 0) + performance.now() - began);
      began = performance.now();
      owner = next;
      this.#owner = next;
      if (!this.#reached.has(next)) this.#reached.set(next, new Set());
    };
    const failure = await this.#run(root, new Set(tests), () => 120_000, entering);
    this.#owner = undefined;
    return failure;
  }

  async #run(root, chosen, limitMs, entering) {
    this.#uncaught.clear();
    const failure = await runTests(root, { chosen, limitMs, entering });
    // A rejection that no code awaits is reported after the next turn of the event loop.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const [uncaught] = this.#uncaught.values();
    return failure ?? (this.#uncaught.size > 0 ? { error: uncaught } : undefined);
  }
}

function nameOf(failure) {
  if (!failure) return undefined;
  const { test, block } = failure;
  return test?.name ?? (block ? `hooks of ${block.name}` : 'an uncaught error');
}
