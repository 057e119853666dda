import { Module } from '@nestjs/common';
import { SharedModule } from '../shared/shared.module.js';
import { AuditLog } from './audit-log.service.js';
import { FailedSignIns } from './failed-sign-ins.service.js';
import { RefusedAddresses } from './refused-addresses.service.js';

/** The audit log of operators' acts. */
@Module({
  imports: [SharedModule],
  providers: [AuditLog, FailedSignIns, RefusedAddresses],
  exports: [AuditLog, FailedSignIns, RefusedAddresses],
})
export class AuditModule {}
