import { posix, win32 } from 'node:path';

/** Why `path` cannot name a file below SOURCES_DIR, or undefined if it can. Looks at the text only. */
export function checkSourcePath(path: string): string | undefined {
  if (path.trim() === '') return 'path is empty';
  if (path.includes('\0')) return 'path contains a NUL character';
  if (posix.isAbsolute(path) || win32.isAbsolute(path) || /^[a-z]:/i.test(path)) {
    return 'path must be relative to the sources folder';
  }
  if (path.split(/[/\\]/).includes('..')) return 'path must not contain ".."';
  return undefined;
}
