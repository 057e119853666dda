import { createVerify, type KeyObject } from 'node:crypto';
import type { Asked, Reply } from './http-server.js';

export interface Organization {
  members: { login: string; databaseId: number; name: string | null; email: string; role: string }[];
  installations: object[];
  repositories: { full_name: string; keys: object[]; [name: string]: unknown }[];
  tokens: object[];
}

interface Identities {
  nameId: (login: string) => string | undefined;
}

/**
 * Serves GitHub for the organization `octo-org`: REST with Link headers and the two GraphQL queries of the connector.
 */
export function githubApi(origin: string, organization: Organization, tokens: Set<string>, saml?: Identities) {
  return ({ url, headers, body }: Asked): Reply => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!tokens.has(token)) return { status: 401, body: { message: 'Bad credentials', status: '401' } };
    if (url.pathname === '/api/graphql') return graphql(organization, JSON.parse(body), saml);
    const path = url.pathname.replace('/api/v3', '');
    if (path === '/orgs/octo-org/installations') {
      const { items, link } = slice(origin, url, organization.installations);
      return { headers: link, body: { total_count: organization.installations.length, installations: items } };
    }
    const keysOf = /^\/repos\/(octo-org\/[^/]+)\/keys$/.exec(path)?.[1];
    const repository = organization.repositories.find(({ full_name }) => full_name === keysOf);
    const list =
      path === '/orgs/octo-org/repos'
        ? organization.repositories.map(({ keys: _, ...about }) => about)
        : path === '/orgs/octo-org/personal-access-tokens'
          ? organization.tokens
          : repository?.keys;
    if (!list) return { status: 404, body: { message: 'Not Found', status: '404' } };
    const { items, link } = slice(origin, url, list);
    return { headers: link, body: items };
  };
}

function slice(origin: string, url: URL, all: readonly object[]) {
  const perPage = Number(url.searchParams.get('per_page') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const to = (number: number, relation: string) => {
    const target = new URL(url.pathname + url.search, origin);
    target.searchParams.set('page', String(number));
    return `<${target}>; rel="${relation}"`;
  };
  const links = [
    ...(page > 1 ? [to(page - 1, 'prev'), to(1, 'first')] : []),
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
  ];
  const link: Record<string, string> = links.length > 0 ? { link: links.join(', ') } : {};
  return { items: all.slice((page - 1) * perPage, page * perPage), link };
}

interface Question {
  query: string;
  variables: Record<string, string | number | null>;
}

function graphql({ members }: Organization, { query, variables }: Question, saml?: Identities): Reply {
  if (variables.organization !== 'octo-org') {
    const message = `Could not resolve to an Organization with the login of '${variables.organization}'.`;
    return { body: { data: { organization: null }, errors: [{ type: 'NOT_FOUND', path: ['organization'], message }] } };
  }
  if (query.includes('externalIdentities')) {
    const ofUser = ([alias, login]: [string, unknown]) => {
      const nameId = saml?.nameId(String(login));
      const samlIdentity = { nameId, username: nameId, givenName: null, familyName: null, emails: [], groups: [] };
      return [alias, { nodes: nameId ? [{ guid: `g-${login}`, samlIdentity, scimIdentity: null }] : [] }] as const;
    };
    const users = Object.entries(variables).filter(([name]) => /^u\d+$/.test(name));
    const samlIdentityProvider = saml ? Object.fromEntries(users.map(ofUser)) : null;
    return { body: { data: { organization: { samlIdentityProvider } } } };
  }
  const from =
    variables.after === null
      ? 0
      : Number.parseInt(Buffer.from(String(variables.after), 'base64').toString().slice(7), 10);
  const to = Math.min(members.length, from + Number(variables.first));
  const edges = members.slice(from, to).map(({ role, ...node }) => {
    const verified = query.includes('organizationVerifiedDomainEmails');
    const organizationVerifiedDomainEmails = [`${node.login}@octo.example`];
    return {
      role,
      hasTwoFactorEnabled: true,
      node: { id: `U_${node.databaseId}`, ...node, ...(verified && { organizationVerifiedDomainEmails }) },
    };
  });
  const endCursor = edges.length > 0 ? Buffer.from(`cursor:${to}`).toString('base64') : null;
  const pageInfo = { hasNextPage: to < members.length, endCursor };
  const membersWithRole = { totalCount: members.length, pageInfo, edges };
  return { body: { data: { organization: { viewerIsAMember: true, membersWithRole } } } };
}

/** Issues installation tokens for JWTs signed with the key of the app. */
export function tokenIssuer(publicKey: KeyObject, tokens: Set<string>) {
  return ({ headers }: Asked): Reply => {
    const [head = '', claims = '', signature = ''] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
    const valid = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url');
    const { iss, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const now = Date.now() / 1000;
    if (!valid || iss !== 'Iv1.app' || exp - iat > 600 || exp < now || iat > now) return { status: 401 };
    const token = `ghs_${tokens.size + 1}s3cr3t`;
    tokens.add(token);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return { status: 201, body: { token, expires_at, permissions: { members: 'read' }, repository_selection: 'all' } };
  };
}
