import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { type MethodRoles, OperatorRoles } from '../access/operator-roles.decorator.js';
import { AuditInterceptor } from './audit.interceptor.js';

/**
 * Declares a controller of operators: the role that its reads and its writes need, and the audit log. `Needs` declares
 * another role for a handler.
 */
export const OperatorAccess = (roles: MethodRoles): ClassDecorator =>
  applyDecorators(Access('operator'), OperatorRoles(roles), UseInterceptors(AuditInterceptor));
