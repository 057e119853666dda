import { z } from 'zod';

/** Returns true for the name of a time zone in the tz database, such as `Europe/Oslo`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A time zone by its name; an offset such as `+01:00` is none, because it ignores summer time. */
export const timeZone = z
  .string()
  .max(100)
  .refine((name) => /^[A-Za-z]/.test(name) && isTimeZone(name), { error: 'must be a time zone such as Europe/Oslo' });
