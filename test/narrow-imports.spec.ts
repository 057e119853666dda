import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { narrowImports } from './setup/narrow-imports.mjs';

const libs = join(import.meta.dirname, '../libs');

describe('an import from a package of the repository', () => {
  it('becomes imports from the files that declare the names, on as many lines', () => {
    expect(narrowImports("import {\n  decodeId,\n  parseDate as read,\n} from '@idsync/contracts';\nnext();")).toBe(
      `import { decodeId as decodeId } from '${libs}/contracts/src/ids.ts'; ` +
        `import { parseDate as read } from '${libs}/contracts/src/parse-date.ts';\n\n\n\nnext();`,
    );
  });

  it('follows names through the index of a subpath, and keeps namespaces', () => {
    expect(narrowImports("import { insertRecordJob } from '@idsync/database/gateway';")).toBe(
      `import { insertRecordJob as insertRecordJob } from '${libs}/database/src/sync/record-jobs.ts';`,
    );
    expect(narrowImports("import { resources } from '@idsync/contracts';")).toBe(
      `import * as resources from '${libs}/contracts/src/http/resources.ts';`,
    );
  });

  it.each([
    "import type { Message } from '@idsync/contracts';",
    "import { unknown } from 'other';",
    "import { startGateway } from '@idsync/gateway';",
  ])('is unchanged if it is only of types, or if the package is not a library: %s', (statement) => {
    expect(narrowImports(statement)).toBe(statement);
  });

  it('stays at the index of its package if no file declares the name', () => {
    expect(narrowImports("import { nothing } from '@idsync/contracts';")).toBe(
      "import { nothing as nothing } from '@idsync/contracts';",
    );
  });
});
