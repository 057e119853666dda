import { ApiError } from '../http/api-error.js';

/** `scimType` values of RFC 7644, section 3.12, and RFC 9865. */
export type ScimType =
  | 'invalidCursor'
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** An error response with a `scimType`. */
export class ScimError extends ApiError {
  constructor(
    status: number,
    readonly scimType: ScimType,
    message: string,
  ) {
    super(status, message);
  }
}

export const refused = (scimType: ScimType, message: string): ScimError => new ScimError(400, scimType, message);

/** Formats any error as a SCIM error response. */
export function scimErrorBody(error: unknown, status: number, text: string): object {
  return {
    schemas: [errorSchema],
    status: String(status),
    ...(error instanceof ScimError && { scimType: error.scimType }),
    ...(!(error instanceof ScimError) && status === 400 && { scimType: 'invalidSyntax' }),
    detail: text,
  };
}
