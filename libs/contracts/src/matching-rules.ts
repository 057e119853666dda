import { z } from 'zod';
import { type MatchingKey, matchingKeys } from './fixed-values.js';
import { attributeFieldPattern } from './records.js';

/** A match key: one of the three that every tenant has, or an attribute of the source. */
export type KeyKind = MatchingKey | `attributes.${string}`;

const isBuiltIn = (field: string): field is MatchingKey => (matchingKeys as readonly string[]).includes(field);

const keyKind = z.string().regex(new RegExp(`^(?:${matchingKeys.join('|')})$|${attributeFieldPattern.source}`), {
  error: `must be ${matchingKeys.join(', ')} or attributes.<name>`,
}) as unknown as z.ZodType<KeyKind, KeyKind>;

const certainKeys = z
  .array(keyKind)
  .max(13)
  .refine((keys) => new Set(keys).size === keys.length, { error: 'must not name a key twice' });

/** How two notations of a value become one, for every kind of match key. */
export const keyNormalisers = [
  'exact',
  'case',
  'digits',
  'alphanumeric',
  'number_without_zeros',
  'email',
  'phone',
] as const;
export type KeyNormaliser = (typeof keyNormalisers)[number];

const normalisersOf: Record<MatchingKey, readonly KeyNormaliser[]> = {
  employee_number: ['exact', 'case', 'digits', 'alphanumeric', 'number_without_zeros'],
  email: ['case', 'email'],
  user_principal_name: ['case', 'email'],
};

const keySettings = z
  .strictObject({
    field: keyKind,
    normaliser: z
      .enum(keyNormalisers, { error: `must be any of ${keyNormalisers.join(', ')}` })
      .default('case')
      .describe(
        '`case` ignores case. `digits` and `alphanumeric` ignore all other characters, and `alphanumeric` case. `number_without_zeros` ignores leading zeros and case. `email` also equates both notations of an international domain. `phone` compares the last nine digits.',
      ),
    strength: z
      .enum(['permanent', 'reusable'], { error: 'must be permanent or reusable' })
      .optional()
      .describe(
        'Of attributes only. `permanent`: like an employee number, it is never given to another person, and two different values are two people. `reusable` (default): like an address, it joins no people with different names and no leavers.',
      ),
  })
  .refine(({ field, strength }) => strength === undefined || !isBuiltIn(field), {
    path: ['strength'],
    error: 'is a setting of attributes only',
  })
  .refine(({ field, normaliser }) => !isBuiltIn(field) || normalisersOf[field].includes(normaliser), {
    path: ['normaliser'],
    error: ({ input }) => `must be any of ${normalisersOf[(input as { field: MatchingKey }).field].join(', ')}`,
  });

const stopValues = z.strictObject({
  field: keyKind,
  values: z.array(z.string().trim().min(1).max(512)).min(1).max(1_000),
});

/**
 * `full_name` is the first and last name, or the display name if they are missing. All fields are compared without
 * spaces and case, phone numbers by their digits. `email` agrees if two addresses differ only in the notation of their
 * international domain; equal addresses are a match key.
 */
const comparedField = z
  .string()
  .refine((field) => field === 'full_name' || field === 'email' || attributeFieldPattern.test(field), {
    error: 'must be full_name, email or attributes.<name>',
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

const rulesShape = z.strictObject({
  certain: certainKeys,
  weak: z.array(weakTier).max(10),
  keys: z
    .array(keySettings)
    .max(13)
    .default([])
    .describe(
      'Settings of match keys. Each attribute in `certain` has an entry; the other keys have one if it differs.',
    ),
  stop_values: z
    .array(stopValues)
    .max(50)
    .default([])
    .describe(
      'Values that identify no person, in addition to the shipped ones. Of an address, `team` is this mailbox in every domain, and `@x.org` every mailbox of this domain.',
    ),
  several_employments: z
    .enum(['primary', 'case'], { error: 'must be primary or case' })
    .default('primary')
    .describe(
      'For users of one source with the same employee number. `primary`: they are one person, who shows the values of the primary employment. `case`: the newer one gets a review case.',
    ),
});
/**
 * Rules that assign a tenant's records to identities. A `certain` key links a record at once; the first key has the
 * highest rank. For records that no key has linked, the `weak` tiers are tried in order, and the first tier that finds
 * a candidate decides.
 */
export const matchingRules = rulesShape.superRefine(({ certain, keys }, context) => {
  for (const [at, { field }] of keys.entries()) {
    const twice = keys.findIndex((other) => other.field === field) !== at;
    if (twice || !certain.includes(field)) {
      const message = twice ? `has settings twice: ${field}` : `must be in certain: ${field}`;
      context.addIssue({ code: 'custom', path: ['keys', at, 'field'], message });
    }
  }
  for (const [at, field] of certain.entries()) {
    if (!attributeFieldPattern.test(field) || keys.some((key) => key.field === field)) continue;
    context.addIssue({ code: 'custom', path: ['certain', at], message: `must have an entry in keys: ${field}` });
  }
});
export type MatchingRules = z.infer<typeof matchingRules>;
export type WeakTier = MatchingRules['weak'][number];

export const defaultMatchingRules: MatchingRules = {
  certain: [...matchingKeys],
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
    {
      name: 'same email in another notation',
      comparisons: [{ field: 'email', match: 'exact', weight: 1 }],
      propose_at: 1,
      when_unique: 'propose',
    },
  ],
  keys: [],
  stop_values: [],
  several_employments: 'primary',
};
