/** Open cases are shown if the URL names no status. */
export const caseStatuses = ['linked', 'new', 'ignored', 'settled'] as const;
