export const quotaNames = ['people', 'connectors', 'webhooks', 'requests_per_minute', 'deliveries_per_hour'] as const;
export type QuotaName = (typeof quotaNames)[number];

/** The limits as the service takes them; an empty one is unlimited. */
export function limitsOf(input: Partial<Record<QuotaName, string>>): Partial<Record<QuotaName, number>> {
  return Object.fromEntries(
    quotaNames.flatMap((name) => {
      const text = input[name] ?? '';
      return text === '' ? [] : [[name, Number(text)]];
    }),
  );
}
