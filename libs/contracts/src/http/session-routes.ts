import * as requests from './requests.js';
import { created, ok, operator, type RouteDefinition } from './route.js';
import * as shown from './session-resources.js';

const path = '/admin/v1/session';

/** Routes for sessions of operators in a browser. */
export const sessionRoutes: RouteDefinition[] = [
  {
    method: 'GET',
    path: `${path}/methods`,
    summary: 'List the ways to sign in',
    auth: 'none',
    success: ok(shown.sessionMethods),
  },
  {
    method: 'POST',
    path,
    summary: 'Sign in with an operator token',
    description:
      'Sets the cookie `__Host-idsync_session`, or `idsync_session` without HTTPS. All operator routes accept it. Requests with the cookie other than GET and HEAD also need the header `X-CSRF-Token`.',
    auth: 'none',
    signsIn: true,
    body: requests.signInBody,
    success: created(shown.createdSession),
  },
  operator('GET', path, 'Get the caller, and its session if there is one', ok(shown.session)),
  operator('DELETE', path, 'Sign out', { status: 204 }),
];
