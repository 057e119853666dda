import { z } from 'zod';

/** Text that PostgreSQL can store: no NUL, no unpaired surrogate. */
export const text = z.string().refine((value) => !value.includes('\0') && !/\p{Surrogate}/u.test(value), {
  error: 'must be text without NUL characters or broken surrogate pairs',
});
