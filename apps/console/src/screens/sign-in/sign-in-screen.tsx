import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { TokenForm } from '../../app/sign-in';
import { buttonClass } from '../../components/button';
import { FormError } from '../../components/form';
import { Loading } from '../../components/page';
import { entryOf } from '../../components/words';
import { readMethods, readSession, sessionQuery } from '../../data/session';
import { isLoopback } from './is-loopback';
import styles from './sign-in-screen.module.css';

const route = getRouteApi('/sign-in');

/** Messages of the codes with which the gateway returns from an identity provider. */
const problems: Record<string, string> = {
  denied: 'The identity provider did not let you in.',
  expired: 'The sign-in took too long, or was begun in another browser. Try again.',
  invalid_response: 'The answer of the identity provider cannot be used. Try again, or ask an administrator.',
  no_role: 'You are known, but have no role in idsync. Ask an administrator for one.',
  provider_unavailable: 'The identity provider cannot be reached. Try again later.',
};
/** Not the code: a link could show any text in its place. */
const otherProblem = 'The sign-in failed. Try again.';

/** Only a path of the console, so that a link cannot lead to another site. */
function targetOf(returnTo: string | undefined): string {
  return returnTo?.startsWith('/') && !returnTo.startsWith('//') && !returnTo.includes('\\') ? returnTo : '/';
}

export function SignInScreen() {
  const { return_to, error } = route.useSearch();
  const { data: methods } = useQuery({ queryKey: ['sign-in-methods'], queryFn: readMethods });
  const client = useQueryClient();
  const router = useRouter();
  const target = targetOf(return_to);
  useEffect(() => {
    document.title = 'Sign in · idsync';
  }, []);
  const enter = async () => {
    client.setQueryData(sessionQuery.queryKey, await readSession());
    router.history.push(target);
  };
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <div className={styles.head}>
          <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width={32} height={32} />
          <h1 className={styles.title}>Sign in to idsync</h1>
        </div>
        <FormError>{error && (entryOf(problems, error) ?? otherProblem)}</FormError>
        {!methods && <Loading rows={3} />}
        {methods?.oidc && (
          <a
            className={buttonClass({ look: 'primary' })}
            href={`/admin/v1/session/oidc/start?return_to=${encodeURIComponent(`/console${target}`)}`}
          >
            Continue with {methods.oidc.name}
          </a>
        )}
        {methods?.oidc && methods.token && <p className={styles.or}>or</p>}
        {methods?.token && <TokenForm onSignedIn={enter} autoFocus />}
        {methods?.token && isLoopback(location.hostname) && (
          <p className={styles.hint}>
            With <code>npm start</code>, the token is in <code>.data/credentials.json</code>.
          </p>
        )}
      </div>
    </main>
  );
}
