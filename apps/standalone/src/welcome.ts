interface Welcome {
  baseUrl: string;
  adminToken: string;
  apiKey: string | undefined;
  credentialsFile: string;
  busUp: boolean;
}

/** What a person needs next, once everything runs. */
export function welcome({ baseUrl, adminToken, apiKey, credentialsFile, busUp }: Welcome): string {
  const lines = [
    '',
    `idsync is running at ${baseUrl}`,
    '',
    ...(apiKey ? [`  API key         ${apiKey}`] : []),
    `  Operator token  ${adminToken}`,
    `  API reference   ${baseUrl}/docs`,
    `  Kept in         ${credentialsFile}`,
    '',
    ...(busUp ? [] : ['RabbitMQ (AMQP_URL) is not reachable. Syncs are accepted, and done when it is.', '']),
    ...(apiKey ? ['Try it:', '', `  curl -s -H 'X-API-Key: ${apiKey}' '${baseUrl}/v1/identities?limit=2'`, ''] : []),
    'Stop it with Ctrl-C; the data stays.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}
