import { z } from 'zod';
import { text } from '../text.js';
import { parsedText } from './query-parameters.js';

export const defaultPageSize = 50;
export const maxPageSize = 200;

/** Digits of a query parameter. A repeated parameter is a list and therefore rejected. */
export const digits = (error: string, bounds: { minimum?: number; maximum?: number } = {}) =>
  z
    .string({ error })
    .regex(/^\d{1,15}$/, error)
    .register(parsedText, { type: 'integer', minimum: 0, ...bounds })
    .transform(Number);
const wholeNumber = (min: number) => {
  const error = `must be an integer of at least ${min}`;
  return digits(error, { minimum: min }).refine((value) => value >= min, error);
};

export const limit = wholeNumber(1)
  .transform((size) => Math.min(size, maxPageSize))
  .default(defaultPageSize)
  .describe(`Page size; larger values are reduced to ${maxPageSize}.`);
export const page = {
  limit,
  offset: wholeNumber(0).default(0).describe('Number of items to skip.'),
};
/** One of some values, in a query or a body. */
export const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
/** A filter by one of some values. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, description: string) =>
  choice(values).optional().describe(description);
export const status = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  oneOf(values, 'Only items in this status. By default, deleted items are excluded.');
/** A filter by a public id, which the handler decodes. */
export const idFilter = (description: string) => z.string().optional().describe(description);
export const dateTime = z.iso.datetime({ offset: true, error: 'must be a date-time such as 2026-01-31T12:00:00Z' });
export const updatedSince = dateTime
  .optional()
  .describe(
    'Only items that changed at this time or later; `total` counts only these. Times follow the order of commits: a client that requests changes since the greatest time it has received misses none. In lists of identities and users, `offset` is then limited to 10000: use `cursor` to read on.',
  );
const opaque = z.string({ error: 'must be a cursor of an earlier page' }).max(200).optional();
/** The cursor of a list that can be read with offsets too. */
export const cursor = opaque.describe(
  'Opaque; empty for the first page, then the `next_cursor` of the previous page. Replaces `offset`.',
);
/** The cursor of a list that is read with cursors only. */
export const nextCursor = opaque.describe(
  'The `next_cursor` of the previous page; empty or absent for the first page.',
);

/** A page of changes must be sorted by each request, so the offset is limited; a cursor is not. */
export const maxChangesOffset = 10_000;
/** A filter by a text. */
export const exact = (description: string) => text.trim().min(1).max(512).optional().describe(description);
/** Later years have five digits and another format. */
const latest = Date.parse('9999-12-31T23:59:59Z');

export const name = text.trim().min(1).max(200);
export const expiry = dateTime
  .refine((time) => Date.parse(time) > Date.now() && Date.parse(time) < latest, { error: 'must be in the future' })
  .optional();
/** Name of the operator, since all operators share one token. */
export const by = text.trim().min(1).max(200).default('operator');
export const reason = text.trim().min(1).max(1000).optional();
export const instant = dateTime.transform((time) => new Date(time));
/** Filters by time, `whose` being what happened. */
export const window = (whose: string) => ({
  since: instant.optional().describe(`Only ${whose} at this time or later.`),
  until: instant.optional().describe(`Only ${whose} before this time.`),
});
export const isWindow = ({ since, until }: { since?: Date; until?: Date }) => !since || !until || since < until;
export const emptyWindow = { path: ['until'], error: 'must be after since' };
