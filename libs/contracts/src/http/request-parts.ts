import { z } from 'zod';
import { personStatuses } from '../fixed-values.js';
import { text } from '../text.js';

export const defaultPageSize = 50;
export const maxPageSize = 200;

/** A repeated query parameter is a list and therefore rejected. */
export const wholeNumber = (min: number) =>
  z
    .string({ error: `must be an integer of at least ${min}` })
    .regex(/^\d{1,15}$/, `must be an integer of at least ${min}`)
    .transform(Number)
    .refine((value) => value >= min, `must be an integer of at least ${min}`);

export const limit = wholeNumber(1)
  .transform((size) => Math.min(size, maxPageSize))
  .default(defaultPageSize);
export const page = {
  limit,
  offset: wholeNumber(0).default(0),
};
export const status = z.enum(personStatuses, { error: `must be one of ${personStatuses.join(', ')}` }).optional();
export const dateTime = z.iso.datetime({ offset: true, error: 'must be a date-time such as 2026-01-31T12:00:00Z' });
export const since = dateTime.optional();
export const cursor = z.string({ error: 'must be a cursor of an earlier page' }).max(200).optional();

/** A page of changes must be sorted by each request, so the offset is limited; a cursor is not. */
export const maxChangesOffset = 10_000;
export const exact = text.trim().min(1).max(512).optional();
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
export const window = { since: instant.optional(), until: instant.optional() };
export const isWindow = ({ since, until }: { since?: Date; until?: Date }) => !since || !until || since < until;
export const emptyWindow = { path: ['until'], error: 'must be after since' };
