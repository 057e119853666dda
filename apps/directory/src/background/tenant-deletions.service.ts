import { Database } from '@idsync/database';
import { deleteTenantPart, findTenantDeletions } from '@idsync/database/directory';
import { Housekeeping } from '@idsync/messaging';
import { Logger } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';

const intervalMs = 5_000;
/** Longer than any statement or idle transaction may last, so that none adds rows after the last look. */
const settleMs = 10 * 60_000;

/**
 * Deletes the rows of tenants whose deletion was requested, a part in each transaction. A part is committed with the
 * progress, so another process continues after a crash; a tenant that another process works on is skipped.
 */
@Injectable()
export class TenantDeletions extends Housekeeping {
  constructor(database: Database, log: Logger) {
    /** Returns the number of tenants that have further parts. */
    const run = async () => {
      let further = 0;
      for (const tenantId of await database.acrossTenants(findTenantDeletions)) {
        const step = await database.transaction(tenantId, (tx) => deleteTenantPart(tx, settleMs));
        if (step?.state === 'done') log.info({ tenant_id: tenantId, rows: step.deleted }, 'tenant deleted');
        if (step?.state === 'more') further += 1;
      }
      return further;
    };
    super([{ name: 'deleting tenants', batchSize: 1, run }], intervalMs, log);
  }
}
