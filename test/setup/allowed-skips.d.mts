export const allowedSkips: readonly { because: string; tests: Record<string, string[]> }[];
/** Whether `.ci/memory-servers` can start a PostgreSQL here. */
export function canStartPostgres(): boolean;
