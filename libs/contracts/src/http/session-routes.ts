import * as requests from './requests.js';
import { created, ok, operator, page, type RouteDefinition } from './route.js';
import * as shown from './session-resources.js';

const path = '/admin/v1/session';

const sessionsPath = '/admin/v1/sessions';
const redirect = { status: 302 };

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
  {
    method: 'GET',
    path: `${path}/oidc/start`,
    summary: 'Sign in with the identity provider',
    description:
      'For browsers: redirects to the identity provider, which redirects to the callback. The callback sets the cookie and redirects to `return_to`, or to `/console/sign-in?error=…`.',
    auth: 'none',
    query: [{ name: 'return_to', description: 'Path below `/console/`.', schema: { type: 'string' } }],
    success: redirect,
  },
  {
    method: 'GET',
    path: `${path}/oidc/callback`,
    summary: 'Complete a sign-in with the identity provider',
    auth: 'none',
    query: ['code', 'state', 'iss', 'error'].map((name) => ({
      name,
      description: 'Set by the identity provider.',
      schema: { type: 'string' },
    })),
    success: redirect,
  },
  {
    method: 'GET',
    path: `${path}/oidc/end`,
    summary: 'Sign out at the identity provider',
    auth: 'none',
    success: redirect,
  },
  {
    method: 'POST',
    path: `${path}/oidc/backchannel-logout`,
    summary: 'Report a sign-out at the identity provider',
    description: 'OpenID Connect Back-Channel Logout 1.0: ends the sessions of the logout token.',
    auth: 'none',
    signsIn: true,
    body: requests.logoutTokenBody,
    bodyType: 'application/x-www-form-urlencoded',
    success: { status: 200 },
  },
  {
    method: 'POST',
    path: `${path}/device`,
    summary: 'Begin a sign-in on another device',
    description: 'For programs without a browser: the person confirms the code at the identity provider (RFC 8628).',
    auth: 'none',
    signsIn: true,
    success: created(shown.deviceSignIn),
  },
  {
    method: 'POST',
    path: `${path}/device/token`,
    summary: 'Complete a sign-in on another device',
    auth: 'none',
    signsIn: true,
    body: requests.deviceTokenBody,
    success: ok(shown.deviceSession),
  },
  operator('GET', path, 'Get the caller, and its session if there is one', ok(shown.session)),
  operator('DELETE', path, 'Sign out', { status: 204 }),
  {
    ...operator('GET', sessionsPath, 'List the sessions of operators', ok(shown.sessionPage), undefined, page),
    description:
      'The last used first. A session that a change of `ADMIN_TOKEN` or of the settings of the identity provider has ended is listed until its timeout.',
  },
  operator('DELETE', `${sessionsPath}/{sessionId}`, 'End a session on all gateways', { status: 204 }),
];
