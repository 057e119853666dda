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
// A sibling folder with the same name prefix is outside the sources folder.
mkdirSync(join(dir, 'sources-secret'));
writeFileSync(join(dir, 'sources-secret', 'secret.csv'), 'id\n1\n');
writeFileSync(join(root, 'exports', 'hr.csv'), 'id\n1\n');

async function openAndClose(path: string, sourcesDir = root, tenantFolder?: string): Promise<number> {
  const file = await openSourceFile({ sourcesDir, tenantFolder }, path);
  await file.handle.close();
  return file.size;
}

describe('opening a source file', () => {
  it('opens a file in a subfolder and through a link within the sources folder', async () => {
    symlinkSync(join(root, 'exports', 'hr.csv'), join(root, 'current.csv'));
    await expect(openAndClose('exports/hr.csv')).resolves.toBe(5);
    await expect(openAndClose('current.csv')).resolves.toBe(5);
  });

  it('works if the sources folder itself is a link', async () => {
    symlinkSync(root, join(dir, 'linked'));
    await expect(openAndClose('exports/hr.csv', join(dir, 'linked'))).resolves.toBe(5);
  });

  it('rejects links that point outside, of files and folders, relative and absolute', async () => {
    symlinkSync(join(dir, 'sources-secret', 'secret.csv'), join(root, 'absolute.csv'));
    symlinkSync('../sources-secret/secret.csv', join(root, 'relative.csv'));
    symlinkSync(join(dir, 'sources-secret'), join(root, 'folder'));
    for (const path of ['absolute.csv', 'relative.csv', 'folder/secret.csv']) {
      await expect(openAndClose(path)).rejects.toThrow(`"${path}" is outside the sources folder`);
    }
  });

  it('rejects absolute paths and paths to a parent folder', async () => {
    await expect(openAndClose(join(root, 'exports', 'hr.csv'))).rejects.toThrow('path must be relative');
    await expect(openAndClose('../sources-secret/secret.csv')).rejects.toThrow('path must not contain ".."');
  });

  it('rejects a folder, and a FIFO without waiting for its writer', async () => {
    execFileSync('/usr/bin/mkfifo', [join(root, 'pipe.csv')]);
    await expect(openAndClose('exports')).rejects.toThrow('"exports" is not a regular file');
    await expect(openAndClose('pipe.csv')).rejects.toThrow('"pipe.csv" is not a regular file');
  });

  it('reports whether the file or the sources folder is missing', async () => {
    await expect(openAndClose('none.csv')).rejects.toThrow('"none.csv" does not exist in the sources folder');
    await expect(openAndClose('hr.csv', join(dir, 'nowhere'))).rejects.toThrow('the sources folder cannot be read');
  });

  it('opens a file that is replaced at the same moment', async () => {
    for (let round = 0; round < 300; round += 1) {
      writeFileSync(join(root, 'new.csv'), 'id\n');
      const [size] = await Promise.all([
        openAndClose('exports/hr.csv'),
        rename(join(root, 'new.csv'), join(root, 'exports', 'hr.csv')),
      ]);
      expect([3, 5]).toContain(size);
    }
  });

  it('detects that the file was modified', async () => {
    writeFileSync(join(root, 'grows.csv'), 'id\n');
    const file = await openSourceFile({ sourcesDir: root }, 'grows.csv');
    await expect(requireUnchanged(file)).resolves.toBeUndefined();
    writeFileSync(join(root, 'grows.csv'), 'id\n1\n');
    await expect(requireUnchanged(file)).rejects.toThrow('"grows.csv" changed while it was being read');
    await file.handle.close();
  });
});

describe('the sources folder of a tenant', () => {
  const shared = join(dir, 'of-all');
  for (const tenant of ['ten_a', 'ten_b']) {
    mkdirSync(join(shared, tenant), { recursive: true });
    writeFileSync(join(shared, tenant, 'hr.csv'), `id\n${tenant}\n`);
  }
  writeFileSync(join(shared, 'common.csv'), 'id\n');
  const open = (path: string, tenant = 'ten_a') => openAndClose(path, shared, tenant);

  it('gives access to the files of the tenant', async () => {
    await expect(open('hr.csv')).resolves.toBe(9);
    symlinkSync('hr.csv', join(shared, 'ten_a', 'current.csv'));
    await expect(open('current.csv')).resolves.toBe(9);
  });

  it('gives no access to files of other tenants or shared files by a path or a link', async () => {
    symlinkSync('../ten_b/hr.csv', join(shared, 'ten_a', 'other.csv'));
    symlinkSync('..', join(shared, 'ten_a', 'up'));
    for (const path of ['other.csv', 'up/common.csv', 'up/ten_b/hr.csv']) {
      await expect(open(path)).rejects.toThrow(`"${path}" is outside the sources folder`);
    }
    await expect(open('ten_b/hr.csv')).rejects.toThrow('does not exist in the sources folder');
    await expect(open('../common.csv')).rejects.toThrow('path must not contain ".."');
  });

  it('is reported if it is missing, and must not be a link', async () => {
    await expect(open('hr.csv', 'ten_c')).rejects.toThrow('the sources folder has no folder "ten_c"');
    symlinkSync('ten_b', join(shared, 'ten_d'));
    await expect(open('hr.csv', 'ten_d')).rejects.toThrow('the folder of this tenant, "ten_d", is a link');
  });
});
