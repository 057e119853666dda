import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { AuditInterceptor } from './audit.interceptor.js';

/** Declares a controller of operators, with the audit log. The roles that its routes need are defined in the contracts. */
export const OperatorAccess = (): ClassDecorator =>
  applyDecorators(Access('operator'), UseInterceptors(AuditInterceptor));
