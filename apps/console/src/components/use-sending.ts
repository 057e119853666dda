import { useState } from 'react';

/** The state of a form that sends one request at a time, with the error of the last one. */
export function useSending() {
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  /** Returns undefined if the work fails. */
  const send = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    setSending(true);
    setError(undefined);
    try {
      return await work();
    } catch (failure) {
      setError((failure as Error).message);
      return undefined;
    } finally {
      setSending(false);
    }
  };
  return { error, isSending, send, clearError: () => setError(undefined) };
}
