/** Statuses of runs that can be cancelled. */
export const cancellable: readonly string[] = ['queued', 'running', 'quarantined'];
