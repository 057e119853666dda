import * as requests from './requests.js';
import { actions, created, installation, noContent, routesAt, wholeInstallation } from './route.js';
import * as shown from './session-resources.js';

const open = routesAt('/admin/v1/session', { auth: 'none' });
const signIn = routesAt('/admin/v1/session', { auth: 'none', signsIn: true });
const redirect = { status: 302 };

/** Routes for sessions of operators in a browser. */
export const sessionRoutes = actions({
  getSessionMethods: open.get('/methods', 'List the ways to sign in', shown.sessionMethods),
  signIn: signIn.post('', 'Sign in with an operator token', created(shown.createdSession), {
    description:
      'Sets the cookie `__Host-idsync_session`, or `idsync_session` without HTTPS. All operator routes accept it. Requests with the cookie other than GET and HEAD also need the header `X-CSRF-Token`.',
    body: requests.signInBody,
  }),
  startOidcSignIn: open.get('/oidc/start', 'Sign in with the identity provider', redirect, {
    description:
      'For browsers: redirects to the identity provider, which redirects to the callback. The callback sets the cookie and redirects to `return_to`, or to `/console/sign-in?error=…`.',
    query: requests.oidcStartQuery,
  }),
  completeOidcSignIn: open.get('/oidc/callback', 'Complete a sign-in with the identity provider', redirect, {
    query: requests.oidcCallbackQuery,
  }),
  endOidcSession: open.get('/oidc/end', 'Sign out at the identity provider', redirect),
  reportOidcLogout: signIn.post(
    '/oidc/backchannel-logout',
    'Report a sign-out at the identity provider',
    { status: 200 },
    {
      description: 'OpenID Connect Back-Channel Logout 1.0: ends the sessions of the logout token.',
      body: requests.logoutTokenBody,
      bodyType: 'application/x-www-form-urlencoded',
    },
  ),
  startDeviceSignIn: signIn.post('/device', 'Begin a sign-in on another device', created(shown.deviceSignIn), {
    description: 'For programs without a browser: the person confirms the code at the identity provider (RFC 8628).',
  }),
  completeDeviceSignIn: signIn.post('/device/token', 'Complete a sign-in on another device', shown.deviceSession, {
    body: requests.deviceTokenBody,
  }),
  getSession: installation.get('/session', 'Get the caller, and its session if there is one', shown.session),
  signOut: installation.del('/session', 'Sign out', noContent, { role: 'viewer' }),
  listSessions: wholeInstallation.get('/sessions', 'List the sessions of operators', shown.sessionPage, {
    query: requests.pageQuery,
    role: 'auditor',
    description:
      'The last used first. A session that a change of `ADMIN_TOKEN` or of the settings of the identity provider has ended is listed until its timeout.',
  }),
  endSession: wholeInstallation.del('/sessions/{sessionId}', 'End a session on all gateways', noContent),
});
