import { describe, expect, it } from '@jest/globals';
import { checkSourcePath } from './source-path.js';

describe('a source path', () => {
  it('may name a file, in a folder or with dots in its name', () => {
    for (const path of ['hr.csv', 'exports/2026/hr.csv', './hr.csv', 'a..b.csv', '.hidden', 'Größe.csv']) {
      expect(checkSourcePath(path)).toBeUndefined();
    }
  });

  it('is rejected if it is absolute, contains "..", is empty or contains NUL', () => {
    for (const path of ['/etc/passwd', 'C:\\hr.csv', 'c:hr.csv', '\\\\host\\hr.csv', '\\hr.csv']) {
      expect(checkSourcePath(path)).toBe('path must be relative to the sources folder');
    }
    for (const path of ['..', '../hr.csv', 'a/../../hr.csv', 'a\\..\\hr.csv', 'a/..']) {
      expect(checkSourcePath(path)).toBe('path must not contain ".."');
    }
    expect(checkSourcePath(' ')).toBe('path is empty');
    expect(checkSourcePath('hr.csv\0.txt')).toBe('path contains a NUL character');
  });
});
