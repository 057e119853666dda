import { z } from 'zod';

/** Bounds what a gateway compares for each request. */
export const maxNetworks = 50;

const forms = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** An address, or a range in CIDR notation such as `192.0.2.0/24` or `2001:db8::/32`. */
export const network = z
  .string()
  .max(50)
  .refine((text) => forms.safeParse(text).success, {
    error: 'must be an IP address or a range such as 192.0.2.0/24',
  });
