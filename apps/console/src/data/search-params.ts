/** A parameter of the URL as text. An empty one is none, so that it leaves the URL. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parameters by name: any text, or one of a few values. */
type Parameters = Record<string, 'text' | readonly string[]>;
type Search<Given extends Parameters> = {
  [Name in keyof Given]?: Given[Name] extends readonly (infer Value)[] ? Value : string;
};
export type SearchOf<Read extends (given: Record<string, unknown>) => object> = ReturnType<Read>;

/** Returns a function that reads these parameters of a URL, and leaves out all others and unknown values. */
export function searchOf<const Given extends Parameters>(parameters: Given) {
  return (given: Record<string, unknown>): Search<Given> =>
    Object.fromEntries(
      Object.entries(parameters).map(([name, allowed]) => {
        const text = textOf(given[name]);
        return [name, allowed === 'text' || allowed.includes(text ?? '') ? text : undefined];
      }),
    ) as Search<Given>;
}
