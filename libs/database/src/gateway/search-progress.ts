// SQL by hand: a value that depends on the rendering, in one round trip.
import { searchVersion } from '@idsync/contracts';
import type { Database } from '../database.js';
import { newTenantAge } from '../directory/document-renderings.js';

/**
 * Returns how much of a tenant can be found by searches and filters, in percent; undefined if everything can. After an
 * upgrade, records of earlier versions can be found once their documents have been rendered again.
 */
export async function findSearchProgress(database: Database, tenantId: string): Promise<number | undefined> {
  const [row] = await database.read<{ progress: number | null }>(tenantId, {
    name: 'search-progress',
    text: `select case
                    when r.version is null then case when t.created_at < now() - interval '${newTenantAge}' then 0 end
                    when r.version < $2 then 0
                    when r.completed_at is null and r.from_version < $2 and r.done < r.total
                      then floor(100.0 * r.done / r.total)::integer
                  end as progress
             from tenants t left join document_renderings r on r.tenant_id = t.id
            where t.id = $1`,
    values: [tenantId, searchVersion],
  });
  return row?.progress ?? undefined;
}
