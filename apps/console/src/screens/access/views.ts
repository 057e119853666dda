export const accessViews = ['keys', 'operators'] as const;
export type AccessView = (typeof accessViews)[number];
