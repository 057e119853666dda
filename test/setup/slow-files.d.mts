export const slowFiles: Record<string, number>;
