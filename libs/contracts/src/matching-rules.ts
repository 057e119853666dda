import { z } from 'zod';
import { attributeFieldPattern, type MatchingKey, matchingKeys } from './records.js';

const certainKeys = z
  .array(z.enum(matchingKeys, { error: `must be any of ${matchingKeys.join(', ')}` }))
  .refine((keys) => new Set(keys).size === keys.length, { error: 'must not name a key twice' });

/**
 * `full_name` is the first and last name, or the display name if they are missing. All fields are compared without
 * spaces and case, phone numbers by their digits.
 */
const comparedField = z.string().refine((field) => field === 'full_name' || attributeFieldPattern.test(field), {
  error: 'must be full_name or attributes.<name>',
});

const comparison = z
  .strictObject({
    field: comparedField,
    match: z.enum(['exact', 'fuzzy'], { error: 'must be exact or fuzzy' }).default('exact'),
    /** Added to the score on full agreement. */
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
  /** Minimum score for a review case. The score is the sum of weights and at most 1. */
  propose_at: z.number().gt(0).max(1),
  /** Action if exactly one person matches: open a review case, or link. */
  when_unique: z.enum(['propose', 'link'], { error: 'must be propose or link' }).default('propose'),
});

/**
 * Rules that assign a tenant's records to identities. A `certain` key links a record at once; the first key has the
 * highest rank. For records that no key has linked, the `weak` tiers are tried in order, and the first tier that finds
 * a candidate decides.
 */
export const matchingRules = z.strictObject({
  certain: certainKeys,
  weak: z.array(weakTier).max(10),
  several_employments: z
    .enum(['primary', 'case'], { error: 'must be primary or case' })
    .default('primary')
    .describe(
      'For users of one source with the same employee number. `primary`: they are one person, who shows the values of the primary employment. `case`: the newer one gets a review case.',
    ),
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
  several_employments: 'primary',
};
