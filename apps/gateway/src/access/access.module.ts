import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuditModule } from '../audit/audit.module.js';
import { AccessGuard } from './access.guard.js';
import { Authentication } from './authentication.service.js';
import { KeyRing } from './key-ring.service.js';
import { OidcSettings } from './oidc-settings.service.js';
import { OperatorGuard } from './operator.guard.js';
import { OperatorTokens } from './operator-tokens.service.js';
import { RateLimit } from './rate-limit.service.js';
import { ServiceTokens } from './service-tokens.service.js';
import { SessionCookie } from './session-cookie.service.js';
import { Sessions } from './sessions.service.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

@Module({
  imports: [AuditModule],
  providers: [
    AccessGuard,
    // Not `useClass`, so that a test can override it.
    { provide: APP_GUARD, useExisting: AccessGuard },
    OperatorGuard,
    Authentication,
    KeyRing,
    UnknownKeyLimits,
    RateLimit,
    ServiceTokens,
    OperatorTokens,
    Sessions,
    SessionCookie,
    OidcSettings,
  ],
  exports: [
    Authentication,
    OperatorGuard,
    KeyRing,
    RateLimit,
    ServiceTokens,
    OperatorTokens,
    Sessions,
    SessionCookie,
    OidcSettings,
    UnknownKeyLimits,
  ],
})
export class AccessModule {}
