import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@idsync/contracts';
import { expect, it } from '@jest/globals';
import type { OpenApiDocument } from '../apps/gateway/src/reference/openapi-document.js';
import { clientSetup, samplesOf } from '../apps/gateway/src/reference/samples.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = openApiDocument('0.1.0') as unknown as OpenApiDocument;

it('the TypeScript samples of the API reference compile strictly', () => {
  const samples = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      samplesOf(method, path, operation, document.components)
        .filter(({ language }) => language === 'TypeScript')
        .map(({ code }) => `export async function ${operation.operationId}() {\n${code}\n}\n`),
    ),
  );
  expect(samples.length).toBeGreaterThan(15);
  const directory = mkdtempSync(join(root, 'test/.samples-'));
  try {
    writeFileSync(join(directory, 'samples.ts'), `${clientSetup}\n\n${samples.join('\n')}`);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2023', lib: ['es2023'], types: ['node'] },
      ...{ module: 'nodenext', paths: { '@idsync/client': [join(root, 'libs/client/src/index.ts')] } },
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['samples.ts'] }));
    const compiled = spawnSync('node_modules/.bin/tsc', ['-p', directory], { cwd: root, encoding: 'utf8' });
    expect({ out: compiled.stdout, status: compiled.status }).toEqual({ out: '', status: 0 });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
