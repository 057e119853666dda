import { afterAll, beforeAll, describe } from '@jest/globals';
import { walkAccess } from './spec-walk/access.js';
import { walkReads } from './spec-walk/reads.js';
import { walkWrites } from './spec-walk/writes.js';
import { SpecDirectory } from './support/spec-directory.js';

let filled: SpecDirectory;
let empty: SpecDirectory;

beforeAll(async () => {
  filled = await SpecDirectory.start();
});

beforeAll(async () => {
  await filled.fill();
  empty = await filled.another();
});

afterAll(() => filled?.stop());

// The reads are first, because the others add events and webhooks.
describe('reads of the public API', () => walkReads(() => filled));
describe('access to the public API', () => walkAccess(() => filled));
describe('writes to the public API', () => walkWrites(() => empty));
