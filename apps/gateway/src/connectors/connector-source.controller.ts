import { adminRoutes } from '@idsync/contracts';
import { Controller } from '@nestjs/common';
import { Handles, type Input } from '../http/handles.decorator.js';
import { RecordJobs } from '../jobs/record-jobs.service.js';
import { Probes } from './probes.service.js';

/** Actions on a connector's source, which the sync-worker runs while the request waits. */
@Controller()
export class ConnectorSourceController {
  constructor(
    private readonly probes: Probes,
    private readonly recordJobs: RecordJobs,
  ) {}

  @Handles(adminRoutes.testConnector)
  test({ tenantId, connectorId: id }: Input<typeof adminRoutes.testConnector>) {
    return this.probes.request(tenantId, id, 'test');
  }

  @Handles(adminRoutes.discoverConnector)
  discover({ tenantId, connectorId: id }: Input<typeof adminRoutes.discoverConnector>) {
    return this.probes.request(tenantId, id, 'discover');
  }

  @Handles(adminRoutes.getConnectorProbe)
  probe({ tenantId, connectorId: id, probeId }: Input<typeof adminRoutes.getConnectorProbe>) {
    return this.probes.get(tenantId, id, probeId);
  }

  @Handles(adminRoutes.syncConnectorRecord)
  syncRecord({ tenantId, connectorId: id, externalId }: Input<typeof adminRoutes.syncConnectorRecord>) {
    return this.recordJobs.request(tenantId, id, externalId);
  }
}
