import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button';
import styles from './form.module.css';
import { notify } from './notices';

interface FormProps extends After {
  className: string | undefined;
  children: ReactNode;
  action: string;
  danger?: boolean;
  /** False while it cannot be sent. */
  isReady?: boolean;
  /** Leaves the form; a button of the type `reset` discards its input. */
  cancel?: ReactNode;
  /** Without it, nothing is sent. */
  mayChange?: boolean;
  /** An error is shown below the fields, which keep their input. */
  onSubmit: () => Promise<unknown>;
  onReset?: () => void;
}

/** A form that sends one request at a time. */
export function Form(props: FormProps) {
  const { className, children, action, danger = false, isReady = true, cancel, mayChange = true } = props;
  const { error, isSending, send, clearError } = useSending();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !isSending) await send(props.onSubmit, props);
  };
  const reset = (event: FormEvent) => {
    event.preventDefault();
    clearError();
    props.onReset?.();
  };
  return (
    <form className={className} onSubmit={submit} onReset={reset}>
      {children}
      <FormError>{error}</FormError>
      {mayChange && (
        <FormActions>
          {cancel}
          <Button type="submit" look={danger ? 'danger' : 'primary'} disabled={!isReady || isSending}>
            {isSending ? 'Sending…' : action}
          </Button>
        </FormActions>
      )}
    </form>
  );
}

/** Why a form could not be sent; nothing without an error. */
export function FormError({ children }: { children: ReactNode }) {
  if (!children) return null;
  return (
    <p role="alert" className={styles.error}>
      {children}
    </p>
  );
}

/** The buttons at the end of a form. */
function FormActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

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
  const send = async <Result,>(work: () => Promise<Result>, { done, refresh, onDone }: After = {}) => {
    setSending(true);
    setError(undefined);
    try {
      const result = await work();
      if (done) notify(done);
      if (refresh) await client.invalidateQueries({ queryKey: refresh });
      onDone?.();
      return result;
    } catch (failure) {
      setError(failure instanceof TypeError ? 'The service did not answer.' : (failure as Error).message);
      return undefined;
    } finally {
      setSending(false);
    }
  };
  return { error, isSending, send, clearError: () => setError(undefined) };
}

/** A button whose request needs no question. Its error is a notice. */
export function SendButton({
  onSend,
  ...button
}: Omit<ComponentProps<typeof Button>, 'onClick'> & { onSend: () => Promise<unknown> }) {
  const send = () => onSend().catch((failure: Error) => notify(failure.message, 'bad'));
  return <Button {...button} onClick={send} />;
}
