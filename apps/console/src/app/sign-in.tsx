import { type FormEvent, useState } from 'react';
import { Button } from '../components/button';
import { TextField } from '../components/fields';
import { useSending } from '../components/form';
import { signIn } from '../data/session';
import styles from './sign-in.module.css';

/** Exchanges an operator token for a session. The token is not kept in the browser. */
export function TokenForm({ onSignedIn, autoFocus = false }: { onSignedIn: () => unknown; autoFocus?: boolean }) {
  const [token, setToken] = useState('');
  const { error, isSending, send } = useSending();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await send(async () => {
      await signIn(token.trim());
      await onSignedIn();
    });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="Operator token"
        type="password"
        autoComplete="current-password"
        value={token}
        onChange={setToken}
        error={error}
        hint="ADMIN_TOKEN, or a service token (ist_…)"
        autoFocus={autoFocus}
      />
      <Button type="submit" look="primary" disabled={token.trim() === '' || isSending}>
        {isSending ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

const name = 'idsync.sign-in';

/** Called in the tab that has signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage('signed-in');
  channel.close();
}

/** Calls back when another tab of this browser has signed in. Returns the function that ends this. */
export function onSignIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = listener;
  return () => channel.close();
}
