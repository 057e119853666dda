export const connectorHealths = ['ok', 'failing', 'suspended', 'quarantined'] as const;
export type ConnectorHealth = (typeof connectorHealths)[number];

/** Number of consecutive failed jobs after which a connector's schedule backs off. */
export const suspendedAfter = 3;

export function healthAfter(failures: number): ConnectorHealth {
  if (failures === 0) return 'ok';
  return failures < suspendedAfter ? 'failing' : 'suspended';
}
