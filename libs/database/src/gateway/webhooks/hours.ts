/** Selects the begins of the last 24 hours, the present one included. */
export const lastHours = `
  select generate_series(hour - interval '23 hours', hour, interval '1 hour') as at
    from (select date_bin('1 hour', now(), 'epoch') as hour) as present`;

const isOf = {
  delivered: `outcome = 'delivered'`,
  // The outcome of an attempt is unknown if the process that made it was stopped.
  failed: `outcome not in ('delivered', 'unknown')`,
};

/** Sums rows of `webhook_hours` that have an outcome. */
export const attemptsOf = (outcomes: keyof typeof isOf) =>
  `coalesce(sum(attempts) filter (where ${isOf[outcomes]}), 0)::bigint`;
