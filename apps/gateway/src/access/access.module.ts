import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { Authentication } from './authentication.service.js';
import { KeyRing } from './key-ring.service.js';
import { OperatorGuard } from './operator.guard.js';
import { RateLimit } from './rate-limit.service.js';
import { ScimTokenGuard } from './scim-token.guard.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

@Module({
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    ApiKeyGuard,
    OperatorGuard,
    ScimTokenGuard,
    Authentication,
    KeyRing,
    UnknownKeyLimits,
    RateLimit,
  ],
  exports: [Authentication, KeyRing],
})
export class AccessModule {}
