import { encodeId, observedActions } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { type AuditInput, addKeyAddresses } from '@idsync/database/gateway';
import { Logger } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { networkOf } from '../access/client-network.js';
import { AuditLog } from './audit-log.service.js';

type KeyKind = 'apiKey' | 'serviceToken';

export interface UsedKey {
  holder: { keyId: string; tenantId: string };
  addresses: Set<string>;
}

/** Records in the audit log when a key or a service token is used from a network for the first time. */
@Injectable()
export class NewAddresses {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly logger: Logger,
  ) {}

  /** Addresses that are not stored because of a failure are found again at the next use. */
  async record(used: readonly UsedKey[], kind: KeyKind = 'apiKey'): Promise<void> {
    for (const { holder, addresses } of used) {
      if (addresses.size === 0) continue;
      try {
        await this.recordOne(holder, kind, [...new Set([...addresses].map(networkOf))]);
      } catch (err) {
        this.logger.warn({ err }, 'recording the addresses of keys failed');
      }
    }
  }

  /** Records the networks from which keys were refused, once a minute each. */
  async recordRefused(refused: readonly UsedKey[]): Promise<void> {
    for (const { holder, addresses } of refused) {
      try {
        for (const network of new Set([...addresses].map(networkOf))) {
          await this.audit.record(holder.tenantId, observed('apiKey', holder.keyId, network, 'refusedAddress'));
        }
      } catch (err) {
        this.logger.warn({ err }, 'recording the addresses of refused keys failed');
      }
    }
  }

  private async recordOne({ tenantId, keyId }: UsedKey['holder'], kind: KeyKind, networks: string[]): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      for (const network of await addKeyAddresses(tx, tenantId, keyId, networks)) {
        await this.audit.append(tx, tenantId, observed(kind, keyId, network, 'newAddress'));
      }
    });
  }
}

function observed(kind: KeyKind, keyId: string, network: string, what: 'newAddress' | 'refusedAddress'): AuditInput {
  const id = encodeId(kind, keyId);
  return {
    actor: { kind: kind === 'apiKey' ? 'api_key' : 'service_token', id, name: id },
    address: network,
    action: observedActions[what],
    outcome: 'observed',
    resource: id,
  };
}
