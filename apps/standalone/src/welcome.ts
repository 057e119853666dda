interface Welcome {
  baseUrl: string;
  adminToken: string;
  apiKey: string | undefined;
  credentialsFile: string;
  busUp: boolean;
  /** Only on a terminal, because a journal or file would retain the secrets. */
  showSecrets: boolean;
}

/** Formats the message that is printed once everything runs. */
export function welcome({ baseUrl, adminToken, apiKey, credentialsFile, busUp, showSecrets }: Welcome): string {
  const shownKey = apiKey !== undefined && showSecrets ? apiKey : undefined;
  const lines = [
    '',
    `idsync is running at ${baseUrl}`,
    '',
    ...(shownKey ? [`  API key         ${shownKey}`] : []),
    ...(showSecrets ? [`  Operator token  ${adminToken}`] : []),
    `  Console         ${baseUrl}/console/`,
    `  API reference   ${baseUrl}/docs`,
    `  Credentials     ${credentialsFile}`,
    '',
    ...(busUp ? [] : ['RabbitMQ (AMQP_URL) is unreachable. Sync jobs are accepted and run once it is reachable.', '']),
    ...(shownKey
      ? ['Try it:', '', `  curl -s -H 'X-API-Key: ${shownKey}' '${baseUrl}/v1/identities?limit=2'`, '']
      : []),
    'Stop it with Ctrl-C; the data is kept.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}
