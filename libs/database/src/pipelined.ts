/**
 * Runs `work`, which may pass statements to `send` instead of waiting for their results: PostgreSQL executes them while the
 * next ones are prepared. All of them have ended when this returns or throws, so that none runs after a rollback to a
 * savepoint.
 */
export async function pipelined<T>(work: (send: (sent: Promise<unknown>) => void) => Promise<T>): Promise<T> {
  const all: Promise<unknown>[] = [];
  try {
    const result = await work((sent) => {
      // Handled below, when the work has ended.
      sent.catch(() => undefined);
      all.push(sent);
    });
    await Promise.all(all);
    return result;
  } finally {
    await Promise.allSettled(all);
  }
}
