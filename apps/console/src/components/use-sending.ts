import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from './notices';

/** Steps after a request that succeeded. */
export interface After {
  /** A notice. */
  done?: string;
  /** Begin of the keys of the queries that are read again; `[]` for all. */
  refresh?: QueryKey;
  /** Called at last. */
  onDone?: () => unknown;
}

/** The state of a form that sends one request at a time, with the error of the last one. */
export function useSending() {
  const client = useQueryClient();
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  /** Returns undefined if the work fails. */
  const send = async <Result>(work: () => Promise<Result>, { done, refresh, onDone }: After = {}) => {
    setSending(true);
    setError(undefined);
    try {
      const result = await work();
      if (done) notify(done);
      if (refresh) await client.invalidateQueries({ queryKey: refresh });
      onDone?.();
      return result;
    } catch (failure) {
      setError((failure as Error).message);
      return undefined;
    } finally {
      setSending(false);
    }
  };
  return { error, isSending, send, clearError: () => setError(undefined) };
}
