import type { IdKind } from '@idsync/contracts';
import { Param, type PipeTransform } from '@nestjs/common';
import { uuidOf } from './ids.js';
import type { ParameterOf } from './parameter-of.js';

class PublicIdPipe implements PipeTransform<string, string> {
  constructor(private readonly kind: IdKind) {}

  transform(id: string): string {
    return uuidOf(this.kind, id);
  }
}

/** Decodes the uuid of a public id in the path. Throws a 404 for an invalid id. */
export function PublicId(kind: IdKind, name = 'id'): ParameterOf<string> {
  return Param(name, new PublicIdPipe(kind));
}
