import { z } from 'zod';

/** Text that PostgreSQL can keep: no NUL, no half of a surrogate pair. */
export const text = z.string().refine((value) => !value.includes('\0') && !/\p{Surrogate}/u.test(value), {
  error: 'must be text without NUL characters or broken surrogate pairs',
});
