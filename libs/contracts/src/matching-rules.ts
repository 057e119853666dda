import { z } from 'zod';
import { attributeFieldPattern, type MatchingKey, matchingKeys } from './records.js';

const certainKeys = z
  .array(z.enum(matchingKeys, { error: `must be of ${matchingKeys.join(', ')}` }))
  .refine((keys) => new Set(keys).size === keys.length, { error: 'must not name a key twice' });

/** `full_name` is made of first and last name, or else the display name. Other fields are compared without spaces and case, phones by digits. */
const comparedField = z.string().refine((field) => field === 'full_name' || attributeFieldPattern.test(field), {
  error: 'must be full_name or attributes.<name>',
});

const comparison = z
  .strictObject({
    field: comparedField,
    match: z.enum(['exact', 'fuzzy'], { error: 'must be exact or fuzzy' }).default('exact'),
    /** What full agreement adds to the score. */
    weight: z.number().gt(0).max(1),
  })
  .refine(({ field, match }) => match === 'exact' || field === 'full_name', {
    error: 'fuzzy compares full_name only',
  });

const weakTier = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[\p{L}\p{N}\p{P}\p{Zs}\p{S}]+$/u, 'must be plain text'),
  comparisons: z.array(comparison).min(1).max(10),
  /** The sum of weights, one at the most, from which a pair is worth a review. */
  propose_at: z.number().gt(0).max(1),
  /** What to do where exactly one person fits: ask an operator, or trust it. */
  when_unique: z.enum(['propose', 'link'], { error: 'must be propose or link' }).default('propose'),
});

/**
 * How a tenant's records find their identity. `certain` keys join at once, the first being the strongest; the tiers of `weak`
 * are asked in order for records that no certain key has joined, and the first that finds anybody decides.
 */
export const matchingRules = z.strictObject({
  certain: certainKeys,
  weak: z.array(weakTier).max(10),
});
export type MatchingRules = z.infer<typeof matchingRules>;
export type WeakTier = MatchingRules['weak'][number];

export const defaultMatchingRules: MatchingRules = {
  certain: [...matchingKeys] as MatchingKey[],
  weak: [
    {
      name: 'same name',
      comparisons: [{ field: 'full_name', match: 'exact', weight: 1 }],
      propose_at: 1,
      when_unique: 'propose',
    },
    {
      name: 'similar name or same phone',
      comparisons: [
        { field: 'full_name', match: 'fuzzy', weight: 0.65 },
        { field: 'attributes.phone', match: 'exact', weight: 0.6 },
      ],
      propose_at: 0.6,
      when_unique: 'propose',
    },
  ],
};
