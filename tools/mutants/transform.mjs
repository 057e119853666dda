// Compiles as in all other tests, with the mutants of the files in the plan.
import { readFileSync } from 'node:fs';
import swc from '@swc/jest';
import { instrument } from './instrument.mjs';

const plan = JSON.parse(readFileSync(process.env.IDSYNC_MUTANTS_PLAN, 'utf8'));
const byFile = new Map();
for (const mutant of plan.mutants) byFile.set(mutant.path, [...(byFile.get(mutant.path) ?? []), mutant]);

const mutated = (source, path) => (byFile.has(path) ? instrument(source, byFile.get(path)) : source);

export default {
  createTransformer(settings) {
    const compiler = swc.createTransformer(settings);
    return {
      process: (source, path, options) => compiler.process(mutated(source, path), path, options),
      getCacheKey: (source, path, options) => compiler.getCacheKey(mutated(source, path), path, options),
    };
  },
};
