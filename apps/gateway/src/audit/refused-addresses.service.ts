import { encodeId, observedActions } from '@idsync/contracts';
import { Logger } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { networkOf } from '../access/networks.js';
import { AuditLog } from './audit-log.service.js';

export interface RefusedKey {
  holder: { keyId: string; tenantId: string };
  addresses: Set<string>;
}

/** Records in the audit log from which networks keys were refused that are restricted to others. */
@Injectable()
export class RefusedAddresses {
  constructor(
    private readonly audit: AuditLog,
    private readonly logger: Logger,
  ) {}

  async record(refused: readonly RefusedKey[]): Promise<void> {
    for (const { holder, addresses } of refused) {
      const id = encodeId('apiKey', holder.keyId);
      try {
        for (const network of new Set([...addresses].map(networkOf))) {
          await this.audit.record(holder.tenantId, {
            actor: { kind: 'api_key', id, name: id },
            address: network,
            action: observedActions.refusedAddress,
            outcome: 'observed',
            resource: id,
          });
        }
      } catch (err) {
        this.logger.warn({ err }, 'recording the addresses of refused keys failed');
      }
    }
  }
}
