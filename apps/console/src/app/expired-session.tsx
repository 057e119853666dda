import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button, buttonClass } from '../components/button';
import { Dialog } from '../components/dialog';
import { hasExpired, readMethods, readSession, sessionQuery } from '../data/session';
import { useStore } from '../data/store';
import { onSignIn, TokenForm } from './sign-in';

/**
 * Asks to sign in again when a request was refused because the session has ended. The screen stays as it is behind it, so
 * that no input is lost.
 */
export function ExpiredSession() {
  if (!useStore(hasExpired)) return null;
  return (
    <Dialog open onOpenChange={() => {}} title="Your session has ended">
      <SignInAgain />
    </Dialog>
  );
}

function SignInAgain() {
  const client = useQueryClient();
  const { data: methods } = useQuery({ queryKey: ['sign-in-methods'], queryFn: readMethods });
  const [isWaiting, setWaiting] = useState(false);
  const resume = async () => {
    client.setQueryData(sessionQuery.queryKey, await readSession());
    await client.invalidateQueries();
  };
  useEffect(() => onSignIn(() => void resume()));
  return (
    <>
      <p>Sign in again to continue. What you have entered on this page is kept.</p>
      {methods?.oidc && !isWaiting && (
        <a
          className={buttonClass({ look: 'primary' })}
          href="/admin/v1/session/oidc/start?return_to=/console/sign-in/done"
          target="_blank"
          rel="noreferrer"
          onClick={() => setWaiting(true)}
        >
          Sign in with {methods.oidc.name} in a new tab
        </a>
      )}
      {isWaiting && <p role="status">This page goes on by itself when you have signed in.</p>}
      {isWaiting && (
        <Button look="primary" onClick={resume}>
          Continue here
        </Button>
      )}
      {methods?.token && <TokenForm onSignedIn={resume} />}
    </>
  );
}
