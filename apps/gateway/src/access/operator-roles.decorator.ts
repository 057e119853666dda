import type { OperatorRole } from '@idsync/contracts';
import { Reflector } from '@nestjs/core';

export interface MethodRoles {
  /** For GET. */
  read: OperatorRole;
  /** For all other methods. */
  write: OperatorRole;
}

/** The roles that the handlers of a controller need. */
export const OperatorRoles = Reflector.createDecorator<MethodRoles>();
/** The role that a handler needs, instead of the one of its controller. */
export const Needs = Reflector.createDecorator<OperatorRole>();
/** Marks a handler that concerns all tenants, so that callers of some tenants may not use it. */
export const ForAllTenants = Reflector.createDecorator<true>();
