export const quotaNames = ['people', 'connectors', 'webhooks', 'requests_per_minute'] as const;
export type QuotaName = (typeof quotaNames)[number];

/** Limits as they are typed; an empty one is unlimited. */
export type QuotaInput = Partial<Record<QuotaName, string>>;

type Usage = Record<QuotaName, { limit?: number }>;

export function quotaInputOf(usage: Usage): Record<QuotaName, string> {
  return Object.fromEntries(quotaNames.map((name) => [name, String(usage[name].limit ?? '')])) as Record<
    QuotaName,
    string
  >;
}

export function isChangedQuota(usage: Usage, draft: QuotaInput): boolean {
  const stored = quotaInputOf(usage);
  return quotaNames.some((name) => draft[name] !== undefined && draft[name] !== stored[name]);
}

/** The limits as the service takes them; an empty one is unlimited. */
export function limitsOf(input: QuotaInput): Partial<Record<QuotaName, number>> {
  return Object.fromEntries(
    quotaNames.flatMap((name) => {
      const text = input[name] ?? '';
      return text === '' ? [] : [[name, Number(text)]];
    }),
  );
}
