// Dependencies of a file for Jest, which selects the tests related to a change by them.
import { narrowImports, packagesHash } from './narrow-imports.mjs';

export const extract = (code, file, extractAll) => extractAll(narrowImports(code), file);
export const getCacheKey = packagesHash;
