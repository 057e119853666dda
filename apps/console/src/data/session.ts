import type { Answer, Installation } from '@idsync/client/operator';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Store } from './store';

export type Session = Answer<Installation, 'GET /session'>;
export type Role = Session['actor']['role'];
type SignInMethods = Answer<Installation, 'GET /session/methods'> & { oidc?: { name: string } };

const path = '/admin/v1/session';
const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Roles that may do what a role may; `operators.md` describes them. */
const includes: Record<Role, readonly Role[]> = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  auditor: ['viewer', 'auditor'],
  admin: ['viewer', 'operator', 'auditor', 'admin'],
};

let csrfToken: string | undefined;
/** Whether a request was refused because the session has ended. */
export const hasExpired = new Store(false);

/** Sends a request with the session of this browser. A 401 opens the dialog of `ExpiredSession`. */
export async function send(request: Request): Promise<Response> {
  if (csrfToken !== undefined && changing.has(request.method)) request.headers.set('x-csrf-token', csrfToken);
  const response = await fetch(request);
  if (response.status === 401) hasExpired.set(true);
  return response;
}

/** Returns null without a session. */
export async function readSession(): Promise<Session | null> {
  const response = await fetch(path);
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(await errorOf(response));
  return remember((await response.json()) as Session);
}

export async function signIn(token: string): Promise<Session> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (response.status === 401) throw new Error('This token is not valid, or has expired.');
  if (!response.ok) throw new Error(await errorOf(response));
  return remember((await response.json()) as Session);
}

export async function signOut(): Promise<void> {
  await fetch(path, { method: 'DELETE', headers: { ...(csrfToken && { 'x-csrf-token': csrfToken }) } });
  csrfToken = undefined;
}

export async function readMethods(): Promise<SignInMethods> {
  const response = await fetch(`${path}/methods`);
  return response.ok ? ((await response.json()) as SignInMethods) : { token: true };
}

function remember(session: Session): Session {
  csrfToken = session.csrf_token;
  hasExpired.set(false);
  return session;
}

async function errorOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  return body.error ?? `The service answered with status ${response.status}.`;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});

export function includesRole(role: Role, needed: Role): boolean {
  return includes[role].includes(needed);
}

/** The session of a screen below `signedInRoute`, which has one. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('this screen needs a session');
  return data;
}

/** Whether the operator may do what needs this role. A screen shows no action that the role does not allow. */
export function useMay(needed: Role): boolean {
  return includesRole(useSession().actor.role, needed);
}
