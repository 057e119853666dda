import { type AwsIamConfig, awsIamFields } from '@idsync/contracts';
import { type Connector, SourceError } from '../connector.js';
import { secretOf } from '../http/api-source.js';
import { type ListingAccess, listingConnector } from '../listing/listing-connector.js';
import { iamClient } from './iam-client.js';
import { iamRoles } from './iam-roles.js';
import { iamUsers } from './iam-users.js';

const defaultPollMs = 2_000;

/** Creates a connector for users and roles of an AWS account. `pollMs` is for tests. */
export function awsIamConnector(config: AwsIamConfig, access: ListingAccess, pollMs = defaultPollMs): Connector {
  const isMachines = access.records === 'machine_identity';
  const { users = isMachines ? 'without_password' : 'with_password', external_id: externalId } = config;
  const withRoles = isMachines && config.roles;
  if (users === 'none' && !withRoles) throw new SourceError('users or roles must be selected', 'misconfigured');
  const credentials = {
    accessKeyId: secretOf(access, 'access_key_id'),
    secretAccessKey: secretOf(access, 'secret_access_key'),
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
