export function problemsOf(folder: string, url: string): Promise<string[]>;
export function unboundTables(text: string, tables: Set<string>, scope?: 'one' | 'all'): Promise<string[]>;
