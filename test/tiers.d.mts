export function filesOf(tier: 'core' | 'more' | 'nightly'): string[];
export function nightlySince(commit: string): string[];
export function nightlyInCi(commit: string): { run: string[]; owed: string[] };
