/** Open cases are shown if the URL names no status. */
export const caseStatuses = ['linked', 'new', 'ignored', 'settled'] as const;

/** The status of a case in words: `new` keeps two people apart, or makes a person. */
export const caseStatusWords: Record<(typeof caseStatuses)[number], string> = {
  linked: 'Linked',
  new: 'Kept apart',
  ignored: 'Ignored',
  settled: 'Settled by matching',
};
