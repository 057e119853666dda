/** Returns whether a conditional header contains the version. `W/` is ignored, because proxies may remove or add it. */
export function namesVersion(header: string, version: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(version));
}
