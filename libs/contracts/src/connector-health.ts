export const connectorHealths = ['ok', 'failing', 'suspended'] as const;
export type ConnectorHealth = (typeof connectorHealths)[number];

/** Failed jobs in a row after which a connector's schedule looks at it more and more seldom. */
export const suspendedAfter = 3;

export function healthAfter(failures: number): ConnectorHealth {
  if (failures === 0) return 'ok';
  return failures < suspendedAfter ? 'failing' : 'suspended';
}
