import type { GithubConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import type { ApiClient, PageRequests } from '../http/api-client.js';
import { listIn } from '../http/paging.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { Listing } from '../listing/listing.js';

const maxLimit = 100;

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

/** The members of an organization: some hundred a request, where REST would take a request for each. */
export function members(graphql: ApiClient, { organization, emails, auth }: GithubConfig): Listing {
  const query = membersQuery(emails === 'verified_domain');
  return {
    name: 'members',
    async read({ at, limit, signal, budget }) {
      const requests = graphql.page(signal, budget);
      const first = Math.min(limit, maxLimit);
      const { data, from } = await ask(requests, query, { organization, first, after: at?.after ?? null });
      const found = valueAt(data, 'organization');
      // To others it shows only who wants to be seen, and they would look like all there are.
      if (auth.type === 'token' && valueAt(found, 'viewerIsAMember') !== true) {
        throw new SourceError(
          `${from}: who the token is of is no member of "${organization}", so most of them are hidden`,
        );
      }
      const list = valueAt(found, 'membersWithRole');
      const edges = listIn({ body: list, from, status: 200, headers: {} }, 'edges');
      const total = valueAt(list, 'totalCount');
      const info = valueAt(list, 'pageInfo');
      const goesOn = valueAt(info, 'hasNextPage');
      const after = valueAt(info, 'endCursor');
      if (typeof total !== 'number' || typeof goesOn !== 'boolean' || (goesOn && typeof after !== 'string')) {
        throw new SourceError(`${from} answered without saying whether there are more members`);
      }
      const seen = (at?.seen ?? 0) + edges.length;
      // Who comes or goes meanwhile changes the total; fewer than the fewest that it told of are too few.
      const least = Math.min(Number(at?.least ?? total), total);
      if (!goesOn && seen < least) {
        throw new SourceError(`${from} tells of ${least} members but has given ${seen}: the list is not complete`);
      }
      const documents = edges.map(asMember);
      if (emails === 'saml') await addIdentities(requests, organization, documents);
      return {
        documents: documents.map((member) => ({ ...member, '@email': emailOf(member, emails) })),
        ...(goesOn && { next: { after: String(after), seen, least } }),
        fraction: total === 0 ? 1 : seen / total,
        from,
      };
    },
  };
}

/** One request of GraphQL. Throws SourceError for an answer with errors: what it lacks then is not nothing. */
async function ask(requests: PageRequests, query: string, variables: object): Promise<{ data: unknown; from: string }> {
  const { body, from } = await requests.post('/graphql', { json: { query, variables } });
  const errors = valueAt(body, 'errors');
  if (errors !== undefined) {
    const [error] = Array.isArray(errors) ? errors : [];
    const said = [scalarText(valueAt(error, 'type')), scalarText(valueAt(error, 'message'))].filter(Boolean).join(': ');
    throw new SourceError(`${from} answered with an error${said && ` (${said.slice(0, 300)})`}`);
  }
  return { data: valueAt(body, 'data'), from };
}

/** A member whom GitHub does not show becomes an error of its own: without an id, so nobody is taken for gone. */
function asMember(edge: unknown): JsonObject {
  const node = valueAt(edge, 'node');
  if (!isObject(node)) return {};
  return { ...node, role: valueAt(edge, 'role'), hasTwoFactorEnabled: valueAt(edge, 'hasTwoFactorEnabled') };
}

/** Who each of these is for the SAML provider of the organization, in one request for all. */
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
    throw new SourceError(`${from} shows no SAML provider of the organization "${organization}"`);
  for (const [index, member] of documents.entries()) {
    const [identity] = listIn({ body: valueAt(provider, `u${index}`), from, status: 200, headers: {} }, 'nodes');
    if (isObject(identity)) documents[index] = { ...member, externalIdentity: identity };
  }
}

function emailOf(member: JsonObject, emails: GithubConfig['emails']): unknown {
  if (emails === 'profile') return valueAt(member, 'email');
  if (emails === 'verified_domain') return valueAt(member, 'organizationVerifiedDomainEmails');
  const name = valueAt(valueAt(valueAt(member, 'externalIdentity'), 'samlIdentity'), 'nameId');
  return typeof name === 'string' && name.includes('@') ? name : undefined;
}
