import { UsageError } from './cli-error.js';

const listedAtMost = 10;

/** Describes the items of a list for an error: `there are ten_1 (Demo), ten_2 (Acme)`. */
export function whatIsThere(items: readonly { id: string; name?: string }[], total = items.length): string {
  if (items.length === 0) return 'there are none';
  const named = items.slice(0, listedAtMost).map(({ id, name }) => (name ? `${id} (${name})` : id));
  const more = total - named.length;
  return `there ${total === 1 ? 'is' : 'are'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the id of the item with this name. Throws an error that lists what is there. */
export function idOfName(
  noun: string,
  name: string,
  { data, total }: { data: readonly { id: string; name: string }[]; total: number },
): string {
  const [found, another] = data.filter((item) => item.name === name);
  if (!found) throw new UsageError(`no ${noun} "${name}"; ${whatIsThere(data, total)}`);
  if (another) throw new UsageError(`several ${noun}s are named "${name}": use the id`);
  return found.id;
}
