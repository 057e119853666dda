// Compiles TypeScript for Jest, after imports are narrowed.
import swc from '@swc/jest';
import { narrowImports, packagesHash } from './narrow-imports.mjs';

const compiler = swc.createTransformer();
const version = packagesHash();

export default {
  canInstrument: compiler.canInstrument,
  process: (code, ...rest) => compiler.process(narrowImports(code), ...rest),
  processAsync: (code, ...rest) => compiler.processAsync(narrowImports(code), ...rest),
  getCacheKey: (code, ...rest) => `${compiler.getCacheKey(code, ...rest)}-${version}`,
};
