import { canReadOne, type GithubConfig, githubFields } from '@idsync/contracts';
import type { Connector } from '../connector.js';
import { type ListingAccess, listingConnector } from '../listing/listing-connector.js';
import { githubAuth } from './github-auth.js';
import { githubClients } from './github-clients.js';
import { machines } from './github-machines.js';
import { members } from './github-members.js';

/**
 * Creates a connector for the members or machine identities of a GitHub organization. `throttlePauseMs` is for tests.
 */
export function githubConnector(config: GithubConfig, access: ListingAccess, throttlePauseMs?: number): Connector {
  const isMachines = access.records === 'machine_identity';
  const auth = githubAuth(config, access);
  return listingConnector({
    access,
    ca: config.ca,
    readsOne: canReadOne('github', access.records),
    mapping: {
      externalId: config.external_id ?? (isMachines ? '@id' : 'databaseId'),
      fields: config.fields ?? githubFields[access.records],
    },
    listings: (transport) => {
      const { rest, graphql } = githubClients(transport, config, auth(transport), throttlePauseMs);
      return isMachines ? machines(rest, config) : [members(graphql, config)];
    },
  });
}
