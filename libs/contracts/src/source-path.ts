/**
 * Describes why `path` cannot name a file below SOURCES_DIR, or returns undefined. Checks the text only, not the file
 * system.
 */
export function checkSourcePath(path: string): string | undefined {
  if (path.trim() === '') return 'path is empty';
  if (path.includes('\0')) return 'path contains a NUL character';
  if (/^([/\\]|[a-z]:)/i.test(path)) return 'path must be relative to the sources folder';
  if (path.split(/[/\\]/).includes('..')) return 'path must not contain ".."';
  return undefined;
}
