// An identity provider as its own process: oidc-provider with the users and the client of a test, and controls under
// /test/ that change its keys, alter its tokens and sign any token.
import { createServer } from 'node:http';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';

const { port = 0, clientUrl, users, host = '127.0.0.1', asks = false } = JSON.parse(process.argv[2]);
const server = createServer();
await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
const issuer = `http://${host}:${server.address().port}`;
const state = { user: Object.keys(users)[0], altered: undefined, key: undefined, provider: undefined };

async function newKey(kid) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

const sign = (claims, { privateKey, kid } = state.key, typ = 'JWT') =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(privateKey);

function createProvider(key) {
  const provider = new Provider(issuer, {
    jwks: { keys: [key.jwk] },
    clients: [
      {
        client_id: 'idsync',
        client_secret: 'the-secret-of-the-client-idsync',
        redirect_uris: [`${clientUrl}/admin/v1/session/oidc/callback`],
        post_logout_redirect_uris: [`${clientUrl}/console/sign-in`],
        grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
        backchannel_logout_uri: `${clientUrl}/admin/v1/session/oidc/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...users[id] }) }),
    // The dispatcher refuses addresses of this machine.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['keys-of-the-cookies-of-the-test'] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
      DeviceCode: 600,
    },
    // No question for consent, because the client is the first party.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.oidc?.route === 'token' && ctx.body?.id_token && state.altered) {
      ctx.body = { ...ctx.body, id_token: await sign({ ...decodeJwt(ctx.body.id_token), ...state.altered }) };
    }
  });
  return provider;
}

async function rotate() {
  state.key = await newKey(`key-${Date.now()}`);
  state.provider = createProvider(state.key);
}

const controls = {
  user({ id }) {
    state.user = id;
  },
  altered({ claims }) {
    state.altered = claims;
  },
  rotate,
  sign: async ({ claims, foreign, typ }) => ({
    token: await sign(claims, foreign ? await newKey(state.key.kid) : state.key, typ),
  }),
};

async function control(request, response, name) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const result = await controls[name](JSON.parse(Buffer.concat(chunks).toString() || '{}'));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(result ?? {}));
}

const form = `<!doctype html><title>Provider</title><h1>Sign in at the provider</h1>
  <form method="post"><label>User <input name="user"></label> <button>Sign in</button></form>`;

async function interact(request, response) {
  if (asks && request.method === 'GET') return response.setHeader('content-type', 'text/html').end(form);
  if (asks) for await (const chunk of request) state.user = new URLSearchParams(String(chunk)).get('user');
  return state.provider.interactionFinished(request, response, { login: { accountId: state.user } });
}

server.on('request', (request, response) => {
  const [, first, second] = request.url.split(/[/?]/);
  if (first === 'test') return control(request, response, second);
  // Signs the user in at once, unless it is asked to show a form.
  if (first === 'interaction') return interact(request, response);
  return state.provider.callback()(request, response);
});

await rotate();
process.stdout.write(`${JSON.stringify({ issuer })}\n`);
