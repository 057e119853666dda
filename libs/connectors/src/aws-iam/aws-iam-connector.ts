import { type AwsIamConfig, awsIamFields } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { type ApiAccess, listingConnector, neededSecret } from '../listing/listing-connector.js';
import { iamClient } from './iam-client.js';
import { iamRoles } from './iam-roles.js';
import { iamUsers } from './iam-users.js';

const defaultPollMs = 2_000;

/** Users and roles of an AWS account. `pollMs` is for tests. */
export function awsIamConnector(config: AwsIamConfig, access: ApiAccess, pollMs = defaultPollMs): Connector {
  const isMachines = access.records === 'machine_identity';
  const { users = isMachines ? 'without_password' : 'with_password', external_id: externalId } = config;
  const withRoles = isMachines && config.roles;
  if (users === 'none' && !withRoles) throw new SourceError('neither users nor roles are to be read');
  const credentials = {
    accessKeyId: neededSecret(access, 'access_key_id'),
    secretAccessKey: neededSecret(access, 'secret_access_key'),
    sessionToken: access.secrets.session_token,
  };
  return listingConnector({
    access,
    ca: undefined,
    mapping: { externalId, fields: config.fields ?? awsIamFields[access.records] },
    listings: (transport) => {
      const call = iamClient(transport, config, credentials);
      return [
        ...(users === 'none' ? [] : [iamUsers(call, users, pollMs)]),
        ...(withRoles ? [iamRoles(call, config.aws_roles)] : []),
      ];
    },
  });
}
