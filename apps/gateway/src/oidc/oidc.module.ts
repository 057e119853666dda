import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SharedModule } from '../shared/shared.module.js';
import { OidcController } from './oidc.controller.js';
import { OidcClient } from './oidc-client.service.js';
import { OidcSignIn } from './oidc-sign-in.service.js';
import { ProviderLimits } from './provider-limits.js';

/** Sign-in of operators with an identity provider (OpenID Connect). */
@Module({
  imports: [AccessModule, AuditModule, SharedModule],
  controllers: [OidcController],
  providers: [OidcClient, OidcSignIn, ProviderLimits],
})
export class OidcModule {}
