import { Controller, Get, Post } from '@nestjs/common';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ExternalId } from './external-id.pipe.js';
import { Probes } from './probes.service.js';
import { RecordJobs } from './record-jobs.service.js';

/** Actions on a connector's source, which the sync-worker runs while the request waits. */
@Controller('admin/v1/tenants/:tenantId/connectors/:connectorId')
@OperatorAccess()
export class ConnectorSourceController {
  constructor(
    private readonly probes: Probes,
    private readonly recordJobs: RecordJobs,
  ) {}

  @Post('test')
  @MayTakeLonger()
  test(@TenantParam() tenantId: string, @PublicId('connector', 'connectorId') id: string): Promise<Progress> {
    return this.probes.request(tenantId, id, 'test');
  }

  @Post('discover')
  @MayTakeLonger()
  discover(@TenantParam() tenantId: string, @PublicId('connector', 'connectorId') id: string): Promise<Progress> {
    return this.probes.request(tenantId, id, 'discover');
  }

  @Get('probes/:probeId')
  probe(
    @TenantParam() tenantId: string,
    @PublicId('connector', 'connectorId') id: string,
    @PublicId('probe', 'probeId') probeId: string,
  ): Promise<object> {
    return this.probes.get(tenantId, id, probeId);
  }

  @Post('records/:externalId/sync')
  @MayTakeLonger()
  syncRecord(
    @TenantParam() tenantId: string,
    @ExternalId() externalId: string,
    @PublicId('connector', 'connectorId') id: string,
  ): Promise<Progress> {
    return this.recordJobs.request(tenantId, id, externalId);
  }
}
