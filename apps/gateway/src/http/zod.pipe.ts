import { requests } from '@idsync/contracts';
import { Body, type PipeTransform, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { ParameterOf } from './parameter-of.js';
import { validate } from './validate.js';

/** Parses a body or a query with its schema. Throws a 400 that names the first invalid field. */
class ZodPipe implements PipeTransform {
  constructor(
    private readonly schema: z.ZodType,
    private readonly part: 'field' | 'query parameter',
  ) {}

  transform(value: unknown): unknown {
    return validate(this.schema, value, this.part);
  }
}

// Nest evaluates the parameters of a handler from last to first: if several are invalid, the last one determines the error.

/** The validated body; the parameter's type must fit the schema. */
export function ZodBody<Schema extends z.ZodType>(schema: Schema): ParameterOf<z.output<Schema>> {
  return Body(new ZodPipe(schema, 'field'));
}

/** The validated query; the parameter's type must fit the schema. */
export function ZodQuery<Schema extends z.ZodType>(schema: Schema): ParameterOf<z.output<Schema>> {
  return Query(new ZodPipe(schema, 'query parameter'));
}

/** The page of a list with offset pagination. */
export const PageQuery = () => ZodQuery(requests.pageQuery);
