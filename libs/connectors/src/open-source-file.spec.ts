import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sourcesFolder } from '../test/source-fixture.js';
import { openSourceFile, requireUnchanged } from './open-source-file.js';

const { dir } = sourcesFolder();
const root = join(dir, 'sources');
mkdirSync(join(root, 'exports'), { recursive: true });
// A sibling whose name begins like the folder's is outside all the same.
mkdirSync(join(dir, 'sources-secret'));
writeFileSync(join(dir, 'sources-secret', 'secret.csv'), 'id\n1\n');
writeFileSync(join(root, 'exports', 'hr.csv'), 'id\n1\n');

async function openAndClose(path: string, from = root): Promise<number> {
  const file = await openSourceFile(from, path);
  await file.handle.close();
  return file.size;
}

describe('opening a source file', () => {
  it('opens a file in a folder, and through a link that stays inside', async () => {
    symlinkSync(join(root, 'exports', 'hr.csv'), join(root, 'current.csv'));
    await expect(openAndClose('exports/hr.csv')).resolves.toBe(5);
    await expect(openAndClose('current.csv')).resolves.toBe(5);
  });

  it('works where the sources folder itself is a link', async () => {
    symlinkSync(root, join(dir, 'linked'));
    await expect(openAndClose('exports/hr.csv', join(dir, 'linked'))).resolves.toBe(5);
  });

  it('refuses links that lead out, of files and of folders, relative and absolute', async () => {
    symlinkSync(join(dir, 'sources-secret', 'secret.csv'), join(root, 'absolute.csv'));
    symlinkSync('../sources-secret/secret.csv', join(root, 'relative.csv'));
    symlinkSync(join(dir, 'sources-secret'), join(root, 'folder'));
    for (const path of ['absolute.csv', 'relative.csv', 'folder/secret.csv']) {
      await expect(openAndClose(path)).rejects.toThrow(`"${path}" leads out of the sources folder`);
    }
  });

  it('refuses absolute paths and paths that climb', async () => {
    await expect(openAndClose(join(root, 'exports', 'hr.csv'))).rejects.toThrow('path must be relative');
    await expect(openAndClose('../sources-secret/secret.csv')).rejects.toThrow('path must not contain ".."');
  });

  it('refuses a folder, and a FIFO without waiting for its writer', async () => {
    execFileSync('/usr/bin/mkfifo', [join(root, 'pipe.csv')]);
    await expect(openAndClose('exports')).rejects.toThrow('"exports" is not a regular file');
    await expect(openAndClose('pipe.csv')).rejects.toThrow('"pipe.csv" is not a regular file');
  });

  it('says what is missing', async () => {
    await expect(openAndClose('none.csv')).rejects.toThrow('"none.csv" does not exist in the sources folder');
    await expect(openAndClose('hr.csv', join(dir, 'nowhere'))).rejects.toThrow('the sources folder cannot be read');
  });

  it('opens a file that is replaced by another at that moment', async () => {
    for (let round = 0; round < 300; round += 1) {
      writeFileSync(join(root, 'new.csv'), 'id\n');
      const [size] = await Promise.all([
        openAndClose('exports/hr.csv'),
        rename(join(root, 'new.csv'), join(root, 'exports', 'hr.csv')),
      ]);
      expect([3, 5]).toContain(size);
    }
  });

  it('notices that the file was written to', async () => {
    writeFileSync(join(root, 'grows.csv'), 'id\n');
    const file = await openSourceFile(root, 'grows.csv');
    await expect(requireUnchanged(file)).resolves.toBeUndefined();
    writeFileSync(join(root, 'grows.csv'), 'id\n1\n');
    await expect(requireUnchanged(file)).rejects.toThrow('"grows.csv" changed while it was being read');
    await file.handle.close();
  });
});
