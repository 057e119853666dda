// Runs chosen tests of a loaded spec repeatedly, without loading its modules again. Works on the tests that Jest has
// collected, in the order in which Jest runs them and their hooks.
const { setTimeout, clearTimeout } = globalThis;

/** All tests that are not skipped, in order. */
export function testsOf(block) {
  return block.children.flatMap((child) => {
    if (child.type === 'describeBlock') return child.mode === 'skip' ? [] : testsOf(child);
    return child.mode === 'skip' || child.mode === 'todo' || !child.fn ? [] : [child];
  });
}

/**
 * Runs `chosen` tests until one fails and returns it with its error, or undefined. `entering` is called with the test or
 * block whose functions run next.
 *
 * @param {{ chosen: Set<object>, limitMs: (test: object | undefined) => number, entering?: (owner: object) => void }} options
 */
export async function runTests(root, { chosen, limitMs, entering = () => undefined }) {
  return runBlock(root);

  async function runBlock(block) {
    if (block.mode === 'skip' || !testsOf(block).some((test) => chosen.has(test))) return undefined;
    entering(block);
    let failure;
    try {
      await runHooks(block, 'beforeAll');
      for (const child of block.children) {
        if (child.type === 'describeBlock') failure = await runBlock(child);
        else if (chosen.has(child)) failure = await runTest(child);
        if (failure) break;
      }
    } catch (error) {
      failure = { block, error };
    }
    entering(block);
    await runHooks(block, 'afterAll').catch((error) => {
      failure ??= { block, error };
    });
    return failure;
  }

  async function runTest(test) {
    entering(test);
    const blocks = [];
    for (let block = test.parent; block; block = block.parent) blocks.unshift(block);
    const context = {};
    let failure;
    try {
      for (const block of blocks) await runHooks(block, 'beforeEach', context);
      await within(test, test.timeout, context, limitMs(test));
      if (test.failing) failure = { test, error: new Error('passed, but is expected to fail') };
    } catch (error) {
      if (!test.failing) failure = { test, error };
    }
    for (const block of blocks.reverse()) {
      await runHooks(block, 'afterEach', context).catch((error) => {
        failure ??= { test, error };
      });
    }
    return failure;
  }

  async function runHooks(block, type, context = {}) {
    for (const hook of block.hooks) {
      if (hook.type === type) await within(hook, hook.timeout, context, Math.max(limitMs(undefined), 30_000));
    }
  }
}

async function within({ fn }, declaredMs, context, usualMs) {
  const ms = Math.min(declaredMs ?? usualMs, usualMs);
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(`not done after ${ms} ms`), { timedOut: true })), ms);
  });
  const done = new Promise((resolve, reject) => {
    if (fn.length === 0) Promise.resolve(fn.call(context)).then(resolve, reject);
    else fn.call(context, (error) => (error ? reject(error) : resolve()));
  });
  await Promise.race([done, timeout]).finally(() => clearTimeout(timer));
}
