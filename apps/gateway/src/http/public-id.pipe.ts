import type { IdKind } from '@idsync/contracts';
import { Body, Param, type PipeTransform, Query } from '@nestjs/common';
import { uuidOf } from './ids.js';
import type { ParameterOf } from './parameter-of.js';

class PublicIdPipe implements PipeTransform<string, string> {
  constructor(private readonly kind: IdKind) {}

  transform(id: string): string {
    return uuidOf(this.kind, id);
  }
}

class OptionalIdPipe implements PipeTransform<string | undefined, string | undefined> {
  constructor(private readonly kind: IdKind) {}

  transform(id: string | undefined): string | undefined {
    return id === undefined ? undefined : uuidOf(this.kind, id);
  }
}

/** Decodes the uuid of a public id in the path. Throws a 404 for an invalid id. */
export function PublicId(kind: IdKind, name = 'id'): ParameterOf<string> {
  return Param(name, new PublicIdPipe(kind));
}

/** Decodes the uuid of an optional id in the query. Throws a 404 for an invalid id; the schema of the query has it too. */
export function QueryId(kind: IdKind, name: string): ParameterOf<string | undefined> {
  return Query(name, new OptionalIdPipe(kind));
}

/** Decodes the uuid of an optional id in the body. Throws a 404 for an invalid id; the schema of the body has it too. */
export function BodyId(kind: IdKind, name: string): ParameterOf<string | undefined> {
  return Body(name, new OptionalIdPipe(kind));
}

/** Decodes the uuid of the tenant in the path of an operator route. */
export const TenantParam = () => PublicId('tenant', 'tenantId');
