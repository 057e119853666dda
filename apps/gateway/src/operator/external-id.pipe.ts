import { comparedText, requests } from '@idsync/contracts';
import { Param, type PipeTransform } from '@nestjs/common';
import type { ParameterOf } from '../http/parameter-of.js';
import { validate } from '../http/validate.js';

class ExternalIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    return validate(requests.recordPath, { external_id: comparedText(id) }).external_id;
  }
}

/** Validates the external id of a record in the path, and returns its normal form. */
export const ExternalId = (): ParameterOf<string> => Param('externalId', new ExternalIdPipe());
