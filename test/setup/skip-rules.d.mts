export function compareSkips(
  files: readonly { path: string; tests: readonly object[] }[],
  groups: readonly object[],
): Promise<{ problems: string[]; reasons: { because: string; tests: string[] }[] }>;
