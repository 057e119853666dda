/** Ids of resources of the tenant. */
interface Known {
  identity: string;
  user: string;
  group: string;
  /** A connector of few people. */
  few: string;
  /** A connector of many people. */
  many: string;
  /** Begins the values of the people of `many`. */
  prefix: string;
}

const longAgo = '2020-01-01T00:00:00Z';
const inFuture = '2100-01-01T00:00:00Z';

/** Lists of identities and users with each filter. */
export function listPaths({ identity, group, few, many, prefix }: Known): string[] {
  const ofDepartment = `?department=${prefix}%20dep%20`;
  const queries = [
    ...[
      '',
      '?limit=200',
      '?offset=9000',
      '?cursor=',
      '?status=active',
      '?status=suspended',
      `?q=${prefix}first7`,
      '?q=nobody',
    ],
    ...[`?updated_since=${longAgo}`, `?updated_since=${longAgo}&cursor=`, `?updated_since=${inFuture}`],
    ...[
      `?email=${prefix}77@example.org`,
      `?employee_number=${prefix}78`,
      `?user_principal_name=${prefix}9@corp.example.org`,
    ],
    ...[
      `${ofDepartment}7`,
      `${ofDepartment}7&offset=200`,
      `${ofDepartment}7&updated_since=${longAgo}`,
      `${ofDepartment}99`,
    ],
    ...[
      `?attributes.site=${prefix}%20site%207`,
      `?group=${group}`,
      `?manager_id=${identity}`,
      `?source=${few}`,
      `?source=${many}`,
    ],
    ...[
      `?external_id=F5&connector_id=${few}`,
      `?external_id=${prefix}5&connector_id=${many}`,
      `${ofDepartment}3&group=${group}`,
    ],
  ];
  return ['/v1/identities', '/v1/users'].flatMap((path) => queries.map((query) => `${path}${query}`));
}

/** Other requests of the public API. */
export function pathsOf({ identity, user, group, few, webhook }: Known & { webhook: string }): string[] {
  const deliveries = `/v1/webhooks/${webhook}/deliveries`;
  return [
    ...[`/v1/identities/${identity}`, `/v1/identities/${identity}?at=${new Date().toISOString()}`],
    ...[`/v1/identities/${identity}/history`, `/v1/identities/${identity}/history?cursor=`, `/v1/users/${user}`],
    ...['/v1/accounts', '/v1/accounts?matched=false', '/v1/machine-identities', '/v1/machine-identities?min_risk=50'],
    ...['/v1/machine-identities?sort=risk', `/v1/accounts?source=${few}`],
    ...['/v1/groups', `/v1/groups?source=${few}&name=staff`, `/v1/groups/${group}`, `/v1/groups/${group}/members`],
    ...['/v1/events', '/v1/events?after=9000', '/v1/events?after=9000&types=identity.created'],
    ...['/v1/events?types=identity.merged', '/v1/connectors', '/v1/webhooks', `/v1/webhooks/${webhook}`],
    ...[
      deliveries,
      `${deliveries}?status=dead`,
      `${deliveries}?status=pending`,
      `${deliveries}?event_type=user.updated`,
    ],
  ];
}

/** Requests of the operator API below the path of the tenant. */
export function operatorPaths({ identity, few }: Known): string[] {
  return [
    ...['', '/sync-jobs', `/connectors/${few}/errors`, `/connectors/${few}/deletion`, '/deleted-connectors'],
    ...['/cases', `/identities/${identity}/explain`, '/operations', '/findings', '/suppressions', '/approvals'],
    ...['/deliveries', '/deliveries?status=dead', '/replays', '/audit'],
  ];
}
