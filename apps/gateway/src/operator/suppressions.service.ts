import { randomBytes } from 'node:crypto';
import type { OperationInput } from '@idsync/contracts';
import { Database, decrypt, encrypt, suppressionHashes, type Transaction } from '@idsync/database';
import {
  deleteSuppression,
  ensureSuppressionKey,
  findPersonRecords,
  findSuppression,
  listSuppressions,
  type Page,
} from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Injectable } from '@nestjs/common';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { PageQuery } from '../http/zod.pipe.js';
import { presentSuppression } from '../present.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

type Suppress = OperationInput<'identity.erase'>['suppress'];

const keyBytes = 32;

/** Computes the keyed hashes of a person who is about to be erased, with the tenant's own key. */
@Injectable()
export class Suppressions {
  constructor(
    private readonly database: Database,
    private readonly settings: GatewaySettings,
  ) {}

  hashesOf(tenantId: string, identityId: string): Promise<Suppress> {
    // Not an act: the key is stored once, and only the erasure that follows uses it.
    return this.database.transaction(tenantId, (tx) => this.hashesIn(tx, tenantId, identityId));
  }

  async hashesIn(tx: Transaction, tenantId: string, identityId: string): Promise<Suppress> {
    const { encryptionKeys } = this.settings;
    const fresh = encrypt(randomBytes(keyBytes).toString('base64'), encryptionKeys[0], tenantId);
    const stored = await ensureSuppressionKey(tx, tenantId, fresh);
    const key = Buffer.from(decrypt(stored, encryptionKeys, tenantId), 'base64');
    const records = await findPersonRecords(tx, tenantId, identityId);
    return records.flatMap(({ id, connectorId, externalId, fields }) =>
      suppressionHashes(key, connectorId, { external_id: externalId, fields }).map(({ kind, hash }) => ({
        record_id: id,
        kind,
        hash: hash.toString('base64'),
      })),
    );
  }
}

@Controller('admin/v1/tenants/:tenantId/suppressions')
@OperatorAccess()
export class SuppressionsController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  list(@TenantParam() tenantId: string, @PageQuery() page: Page): Promise<object> {
    return this.tenants.page(tenantId, page, presentSuppression, (tx) => listSuppressions(tx, tenantId, page));
  }

  @Get(':suppressionId')
  async get(@TenantParam() tenantId: string, @PublicId('suppression', 'suppressionId') id: string): Promise<object> {
    return presentSuppression(orNotFound(await this.tenants.run(tenantId, (tx) => findSuppression(tx, tenantId, id))));
  }

  /** Lifts the suppression: the next full run may create the person again. */
  @Delete(':suppressionId')
  @HttpCode(204)
  async lift(@TenantParam() tenantId: string, @PublicId('suppression', 'suppressionId') id: string): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = presentSuppression(orNotFound(await findSuppression(tx, tenantId, id)));
      describe({ before });
      orNotFound(await deleteSuppression(tx, tenantId, id));
    });
  }
}
