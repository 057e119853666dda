/**
 * Compares the skipped tests of a run with the groups of `allowed-skips.mjs`. `files` are the test files that ran, each
 * with its tests. Returns what is wrong, and the skipped tests by reason.
 */
export async function compareSkips(files, groups) {
  const problems = [];
  const reasons = new Map();
  const applying = await groupsFor(files, groups);
  for (const { path, tests } of files) {
    const entries = groups.flatMap((group) => (group.tests[path] ?? []).map((title) => ({ group, title })));
    for (const { group, title } of entries) {
      const named = tests.filter((test) => isNamed(test, title));
      if (named.length === 0)
        problems.push(`${path}: "${title}" is on the list of allowed skips, but there is no such test`);
      else if (applying.has(group) && !group.optional && !named.every(({ skipped }) => skipped))
        problems.push(`${path}: "${title}" is on the list of allowed skips, but it ran`);
    }
    for (const test of tests.filter(({ skipped }) => skipped)) {
      const allowed = entries.find(({ group, title }) => applying.has(group) && isNamed(test, title));
      if (!allowed)
        problems.push(`${path}: "${test.fullName}" was skipped, but it is not on the list of allowed skips`);
      else reasons.set(allowed.group, [...(reasons.get(allowed.group) ?? []), `${path}: ${test.fullName}`]);
    }
  }
  return { problems, reasons: [...reasons].map(([{ because }, tests]) => ({ because, tests })) };
}

/** Evaluates conditions only for files that ran, because some start programs. */
async function groupsFor(files, groups) {
  const applying = new Set();
  for (const group of groups) {
    if (!files.some(({ path }) => path in group.tests)) continue;
    if (group.when === undefined || (await group.when())) applying.add(group);
  }
  return applying;
}

/** A title is that of a test, or of a test or a suite with the suites around it. */
function isNamed({ title, fullName }, text) {
  return title === text || fullName === text || fullName.startsWith(`${text} `);
}
