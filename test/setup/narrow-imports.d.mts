export function narrowImports(code: string): string;
export function packagesHash(): string;
