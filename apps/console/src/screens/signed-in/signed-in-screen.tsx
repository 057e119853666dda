import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { announceSignIn } from '../../app/sign-in';
import { buttonClass } from '../../components/button';
import { EmptyState, Page } from '../../components/page';

/** Reports the new session to the tab that waits for it. */
export function SignedInScreen() {
  useEffect(announceSignIn, []);
  return (
    <main>
      <Page title="You are signed in">
        <EmptyState
          title="Close this tab, and continue in the other one"
          action={
            <Link to="/" className={buttonClass()}>
              Continue here
            </Link>
          }
        >
          The tab in which your session had ended goes on by itself. Its input is kept.
        </EmptyState>
      </Page>
    </main>
  );
}
