import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { names, readAll, sourcesFolder } from '../test/source-fixture.js';
import { type Connector, type Page, SourceError } from './connector.js';
import { type FileSource, openSourceFile, requireUnchanged } from './open-source-file.js';
import { fileConnector } from './read-pages.js';

describe('source files', () => {
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
});

describe('pages of source files', () => {
  const { dir, source, openFiles } = sourcesFolder();
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `${index},name ${index}\n`).join('');
  const big = `id,name\n${rows(50_000)}`;

  /** Reads one page, runs `between`, and reads the rest. */
  async function readAround(connector: Connector, between: () => void, signal = new AbortController().signal) {
    const pages: Page[] = [];
    for await (const page of connector.read({ pageSize: 100, signal })) {
      pages.push(page);
      if (pages.length === 1) between();
    }
    return pages;
  }

  describe('reading a file page by page', () => {
    it('fills pages to their size and ends with one last page, which may be empty', async () => {
      const { pages } = await readAll(source('csv', `id,name\n${rows(6)}`), 3);
      expect(pages.map((page) => [page.records.length, page.last])).toEqual([
        [3, false],
        [3, false],
        [0, true],
      ]);
    });

    it('reports a fraction that never decreases and is 1 at the end', async () => {
      const { pages } = await readAll(source('csv', big));
      const fractions = pages.map((page) => page.fraction ?? -1);
      expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);
      expect(fractions[24]).toBeCloseTo(0.5, 1);
      expect(fractions.at(-1)).toBe(1);
    });

    it('counts errors towards the page size and reports each on its page', async () => {
      const { pages } = await readAll(source('csv', `id,name\n${'bad\n'.repeat(5)}1,a\n`), 2);
      expect(pages.map((page) => page.errors.map((error) => error.line))).toEqual([[2, 3], [4, 5], [6], []]);
    });

    it('resumes from a cursor parsed from JSON, with correct line numbers', async () => {
      const connector = source('csv', 'id,name\n1,"a\nb"\n\n2,c\nbad\n3,d\n');
      const { pages } = await readAll(connector, 1);
      const rest = await readAll(connector, 10, JSON.parse(JSON.stringify(pages[0]?.cursor)));
      expect(names(rest.records)).toEqual([
        ['2', 'c'],
        ['3', 'd'],
      ]);
      expect(rest.errors).toMatchObject([{ line: 6 }]);
    });

    it('does not resume in another file of the same name', async () => {
      const { pages } = await readAll(source('csv', 'id,name\n1,a\n2,b\n'), 1);
      const replaced = source('csv', 'id,name\n1,a\n2,c\n3,d\n');
      await expect(readAll(replaced, 1, pages[0]?.cursor)).rejects.toThrow(
        '"source.csv" changed while it was being read',
      );
      await expect(readAll(replaced, 1, { page: 2 })).rejects.toThrow('not a position in a file');
    });

    it('fails when the file grows, shrinks or is overwritten during the read', async () => {
      const path = join(dir, 'source.csv');
      const changes = [
        () => appendFileSync(path, '99999,late\n'),
        () => truncateSync(path, 1_000),
        () => {
          const { atime } = statSync(path);
          utimesSync(path, atime, new Date('2001-01-01'));
        },
      ];
      for (const change of changes) {
        const connector = source('csv', big);
        await expect(readAround(connector, change)).rejects.toThrow('"source.csv" changed while it was being read');
      }
      expect(openFiles()).toEqual([]);
    });

    it('reads the old file to the end when a new file takes its name', async () => {
      const connector = source('csv', big);
      const pages = await readAround(connector, () => {
        writeFileSync(join(dir, 'new.csv'), 'id,name\n');
        renameSync(join(dir, 'new.csv'), join(dir, 'source.csv'));
      });
      expect(pages.flatMap((page) => page.records)).toHaveLength(50_000);
    });

    it('throws the abort reason before the file is opened and during the read', async () => {
      const connector = source('csv', big);
      const reason = new Error('cancelled');
      await expect(readAround(connector, () => undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      await expect(readAround(connector, () => controller.abort(reason), controller.signal)).rejects.toBe(reason);
      expect(openFiles()).toEqual([]);
    });

    it('closes the file at the end, on failure and when the reader stops early', async () => {
      await readAll(source('csv', big));
      await expect(readAll(source('csv', `${big}"`))).rejects.toThrow('is truncated');
      for await (const page of source('csv', big).read({ pageSize: 10, signal: new AbortController().signal })) {
        expect(openFiles()).toHaveLength(1);
        expect(page.records).toHaveLength(10);
        break;
      }
      expect(openFiles()).toEqual([]);
    });
  });

  describe('a file from which reading', () => {
    const records = ['1', '2', '3'].map((external_id) => ({ external_id, fields: {} }));
    /** Returns the argument of each `close`: true if no later read resumes in the file. */
    async function closings(error: Error | undefined, pages: number): Promise<boolean[]> {
      const closed: boolean[] = [];
      const file = {
        path: 'source',
        fingerprint: 'f',
        size: 3,
        unchanged: async () => true,
        close: async (finished: boolean) => void closed.push(finished),
      };
      const connector = fileConnector({ open: async () => file } as object as FileSource, {
        async *readEntries() {
          for (const [at, record] of records.entries())
            yield { next: { offset: at + 1, line: at + 2 }, line: at + 1, record };
          if (error) throw error;
        },
        readIds: async () => undefined,
        readFields: async () => [],
      });
      const read = async () => {
        let left = pages;
        for await (const _ of connector.read({ pageSize: 2, signal: new AbortController().signal })) {
          left -= 1;
          if (left === 0) break;
        }
      };
      await read().catch((thrown) => expect(thrown).toBe(error));
      return closed;
    }

    it('continues later is kept, and one that was read or is unusable is not', async () => {
      expect(await closings(undefined, 1)).toEqual([false]);
      expect(await closings(undefined, 9)).toEqual([true]);
      expect(await closings(new Error('the connection was lost'), 9)).toEqual([false]);
      expect(await closings(new SourceError('is no CSV', { code: 'misconfigured' }), 9)).toEqual([true]);
    });
  });
});
