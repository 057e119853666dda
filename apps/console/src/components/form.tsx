import type { FormEvent, ReactNode } from 'react';
import { Button } from './button';
import { FormActions, FormError } from './form-parts';
import { type After, useSending } from './use-sending';

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
