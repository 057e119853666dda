export const allowedSkips: readonly { because: string; tests: Record<string, string[]> }[];
