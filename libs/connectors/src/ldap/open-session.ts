import type { LdapConfig, RecordKind } from '@idsync/contracts';
import { LdapSession } from './ldap-session.js';
import { endpointOf } from './ldap-socket.js';

export interface LdapSettings {
  records: RecordKind;
  config: LdapConfig;
  bindPassword?: string | undefined;
  allowedCidrs: readonly string[];
  /** Maximum number of anchors in memory, and timeout of an operation; lower in tests. */
  limits?: { keep?: number; operationMs?: number };
}

/** Connects, starts TLS unless disabled by the configuration, and binds. */
export async function openSession(settings: LdapSettings, signal: AbortSignal): Promise<LdapSession> {
  const { config, bindPassword, allowedCidrs, limits } = settings;
  const endpoint = endpointOf(config);
  const session = await LdapSession.open(endpoint, allowedCidrs, signal, limits?.operationMs);
  try {
    if (!endpoint.secure && !config.unencrypted) await session.startTls(endpoint);
    if (config.bind_dn !== undefined && bindPassword !== undefined) await session.bind(config.bind_dn, bindPassword);
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}
