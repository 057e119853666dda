import { type GithubConfig, githubFields } from '@idsync/contracts';
import { canReadOne } from '../can-read-one.js';
import type { Connector } from '../connector.js';
import { type ApiAccess, listingConnector } from '../listing/listing-connector.js';
import { githubAuth } from './github-auth.js';
import { githubClients } from './github-clients.js';
import { machines } from './github-machines.js';
import { members } from './github-members.js';

/** An organization of GitHub: its members, or what acts in it without a person. `patienceMs` is for tests. */
export function githubConnector(config: GithubConfig, access: ApiAccess, patienceMs?: number): Connector {
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
      const { rest, graphql } = githubClients(transport, config, auth(transport), patienceMs);
      return isMachines ? machines(rest, config) : [members(graphql, config)];
    },
  });
}
