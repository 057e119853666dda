interface Named {
  display_name?: unknown;
  first_name?: unknown;
  last_name?: unknown;
}

/** Returns the display name, otherwise the first and last name. Undefined if the source has given none of them. */
export function personName({ display_name: name, first_name: first, last_name: last }: Named): string | undefined {
  if (typeof name === 'string' && name !== '') return name;
  return [first, last].filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined;
}
