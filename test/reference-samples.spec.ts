import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@idsync/contracts';
import { expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));
const { info, paths } = openApiDocument('0.1.0') as {
  info: { description: string };
  paths: Record<string, Record<string, { operationId: string; 'x-codeSamples'?: { lang: string; source: string }[] }>>;
};

it('the TypeScript samples of the API reference compile strictly', () => {
  const [, setup = ''] = /```typescript\n([\s\S]*?)\n```/.exec(info.description) ?? [];
  const samples = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, 'x-codeSamples': own = [] }) =>
      own.map(({ source }) => `export async function ${operationId}() {\n${source}\n}\n`),
    );
  expect(samples.length).toBeGreaterThan(30);
  const directory = mkdtempSync(join(root, 'test/.samples-'));
  try {
    writeFileSync(join(directory, 'samples.ts'), `${setup}\n\n${samples.join('\n')}`);
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
