/** Parts of the screen; the first one is shown if the URL names none. */
export const views = ['values', 'records', 'history', 'events'] as const;
