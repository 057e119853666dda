import { Database } from '@idsync/database';
import { findTenantPosition } from '@idsync/database/gateway';
import { SharedReads } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';

/** Reads the positions of tenants, once for all requests that wait for one: a read costs more than the rest of a 304. */
@Injectable()
export class TenantPositions {
  private readonly reads: SharedReads<string | undefined>;

  constructor(database: Database) {
    this.reads = new SharedReads((tenantId) => findTenantPosition(database, tenantId));
  }

  /** Returns the position as of now or later. */
  find(tenantId: string): Promise<string | undefined> {
    return this.reads.get(tenantId);
  }
}
