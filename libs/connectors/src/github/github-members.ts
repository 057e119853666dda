import type { GithubConfig, SourceErrorCode } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import type { ApiClient, PageRequests } from '../http/api-client.js';
import { documentedNames } from '../http/explanation.js';
import { listIn } from '../http/paging.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { Listing } from '../listing/listing-connector.js';

const maxLimit = 100;

const codes: Readonly<Record<string, SourceErrorCode>> = {
  FORBIDDEN: 'forbidden',
  INSUFFICIENT_SCOPES: 'forbidden',
  NOT_FOUND: 'not_found',
};

const membersQuery = (verified: boolean) => `query($organization: String!, $first: Int!, $after: String) {
  organization(login: $organization) {
    viewerIsAMember
    membersWithRole(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges {
        role
        hasTwoFactorEnabled
        node {
          id databaseId login name email company location createdAt updatedAt
          ${verified ? 'organizationVerifiedDomainEmails(login: $organization)' : ''}
        }
      }
    }
  }
}`;

const identityOf = `nodes {
  guid
  samlIdentity { nameId username givenName familyName emails { value primary } groups }
  scimIdentity { username givenName familyName emails { value primary } }
}`;

/** Lists the members of an organization with about a hundred per request. REST would need a request for each. */
export function members(graphql: ApiClient, { organization, emails, auth }: GithubConfig): Listing {
  const query = membersQuery(emails === 'verified_domain');
  return {
    name: 'members',
    async read({ at, limit, signal, budget }) {
      const requests = graphql.page(signal, budget);
      const first = Math.min(limit, maxLimit);
      const { data, from } = await ask(requests, query, { organization, first, after: at?.after ?? null });
      const found = valueAt(data, 'organization');
      // A token of a non-member only sees public members, which would look like a complete list.
      if (auth.type === 'token' && valueAt(found, 'viewerIsAMember') !== true) {
        throw new SourceError(
          `${from}: the owner of the token is not a member of "${organization}" and cannot see all members`,
          'forbidden',
        );
      }
      const list = valueAt(found, 'membersWithRole');
      const edges = listIn({ body: list, from }, 'edges');
      const total = valueAt(list, 'totalCount');
      const info = valueAt(list, 'pageInfo');
      const hasNext = valueAt(info, 'hasNextPage');
      const after = valueAt(info, 'endCursor');
      if (typeof total !== 'number' || typeof hasNext !== 'boolean' || (hasNext && typeof after !== 'string')) {
        throw new SourceError(`${from} answered without hasNextPage`, 'incomplete');
      }
      const seen = (at?.seen ?? 0) + edges.length;
      // The total may change during the read, so the smallest reported total is required.
      const least = Math.min(Number(at?.least ?? total), total);
      if (!hasNext && seen < least) {
        throw new SourceError(
          `${from} reported ${least} members but returned ${seen}, so the list is incomplete`,
          'incomplete',
        );
      }
      const documents = edges.map(asMember);
      if (emails === 'saml') await addIdentities(requests, organization, documents);
      return {
        documents: documents.map((member) => ({ ...member, '@email': emailOf(member, emails) })),
        ...(hasNext && { next: { after: String(after), seen, least } }),
        fraction: total === 0 ? 1 : seen / total,
        from,
      };
    },
  };
}

/** Sends a GraphQL request. Throws SourceError for a response with errors, because its data is incomplete. */
async function ask(requests: PageRequests, query: string, variables: object): Promise<{ data: unknown; from: string }> {
  const { body, from, said } = await requests.post('/graphql', { json: { query, variables } });
  const errors = valueAt(body, 'errors');
  if (errors !== undefined) {
    const [error] = Array.isArray(errors) ? errors : [];
    const code = scalarText(valueAt(error, 'type'));
    const names = documentedNames({ code });
    const text = [code, scalarText(valueAt(error, 'message'))].filter(Boolean).join(': ');
    throw new SourceError(`${from} answered with an error${names && ` (${names})`}`, {
      code: codes[names] ?? 'refused',
      said: said(text),
    });
  }
  return { data: valueAt(body, 'data'), from };
}

/** Maps a member. One that GitHub hides becomes a record error without an id, so that no record counts as deleted. */
function asMember(edge: unknown): JsonObject {
  const node = valueAt(edge, 'node');
  if (!isObject(node)) return {};
  return { ...node, role: valueAt(edge, 'role'), hasTwoFactorEnabled: valueAt(edge, 'hasTwoFactorEnabled') };
}

/** Adds the SAML identities of these members in one request. */
async function addIdentities(requests: PageRequests, organization: string, documents: JsonObject[]): Promise<void> {
  const logins = documents.map((member) => scalarText(valueAt(member, 'login')) ?? '');
  if (logins.length === 0) return;
  const variables = Object.fromEntries(logins.map((login, index) => [`u${index}`, login]));
  const parameters = logins.map((_, index) => `$u${index}: String!`).join(', ');
  const aliases = logins.map(
    (_, index) => `u${index}: externalIdentities(first: 1, login: $u${index}) { ${identityOf} }`,
  );
  const query = `query($organization: String!, ${parameters}) {
  organization(login: $organization) { samlIdentityProvider { ${aliases.join('\n')} } }
}`;
  const { data, from } = await ask(requests, query, { organization, ...variables });
  const provider = valueAt(valueAt(data, 'organization'), 'samlIdentityProvider');
  if (!isObject(provider))
    throw new SourceError(`${from} returned no SAML provider of the organization "${organization}"`, 'forbidden');
  for (const [index, member] of documents.entries()) {
    const [identity] = listIn({ body: valueAt(provider, `u${index}`), from }, 'nodes');
    if (isObject(identity)) documents[index] = { ...member, externalIdentity: identity };
  }
}

function emailOf(member: JsonObject, emails: GithubConfig['emails']): unknown {
  if (emails === 'profile') return valueAt(member, 'email');
  if (emails === 'verified_domain') return valueAt(member, 'organizationVerifiedDomainEmails');
  const name = valueAt(valueAt(valueAt(member, 'externalIdentity'), 'samlIdentity'), 'nameId');
  return typeof name === 'string' && name.includes('@') ? name : undefined;
}
