import { decodeId, type RecordKind, recordIds, recordKinds } from '@idsync/contracts';
import { Param, type PipeTransform, Query } from '@nestjs/common';
import { notFound } from '../http/api-error.js';
import type { ParameterOf } from '../http/parameter-of.js';

/** A record by its public id, whose prefix is the kind. */
export interface NamedRecord {
  kind: RecordKind;
  id: string;
  publicId: string;
}

class RecordIdPipe implements PipeTransform<string | undefined, NamedRecord | undefined> {
  transform(publicId: string | undefined): NamedRecord | undefined {
    if (publicId === undefined) return undefined;
    for (const kind of recordKinds) {
      const id = decodeId(recordIds[kind], publicId);
      if (id !== undefined) return { kind, id, publicId };
    }
    throw notFound();
  }
}

/** The record in the path. Throws a 404 for an invalid id. */
export const RecordParam = (): ParameterOf<NamedRecord> => Param('recordId', new RecordIdPipe());

/** An optional record in the query. Throws a 404 for an invalid id. */
export const RecordQuery = (name: string): ParameterOf<NamedRecord | undefined> => Query(name, new RecordIdPipe());
