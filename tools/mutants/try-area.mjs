import { trySpec } from './try-spec.mjs';

/**
 * Tries mutants with one spec after another until one of them notices it. After `endsAt`, those that are neither noticed
 * nor tried with all specs are `open`.
 *
 * @param {import('./operators.mjs').Mutant[]} mutants
 */
export async function tryArea(name, specs, mutants, endsAt) {
  const outcomes = new Map(mutants.map((mutant) => [mutant.id, { ...mutant, status: 'not reached' }]));
  for (const spec of specs) {
    const left = mutants.filter(({ id }) => ['not reached', 'survived'].includes(outcomes.get(id).status));
    if (left.length === 0) break;
    const began = Date.now();
    const { results, broken, unfinished } = await trySpec(spec, left, endsAt);
    if (broken) process.stderr.write(`${spec} is left out, since it fails without a mutant: ${broken}\n`);
    for (const [id, result] of results) Object.assign(outcomes.get(id), result, { spec });
    if (unfinished) {
      for (const { id } of left)
        if (['not reached', 'survived'].includes(outcomes.get(id).status)) outcomes.get(id).status = 'open';
      break;
    }
    const noticed = [...results.values()].filter(({ status }) => status !== 'survived').length;
    const seconds = Math.round((Date.now() - began) / 1_000);
    process.stderr.write(`${name}: ${spec} noticed ${noticed} of ${results.size} in ${seconds} s\n`);
  }
  return [...outcomes.values()];
}
