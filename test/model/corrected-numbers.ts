// "A corrected number" of docs/directory.md: links of earlier runs that contradict a permanent key of today.
import { isAddress, keysOf, permanentTiers, tiers } from './keys.js';
import { haveOnlyTheLastWordInCommon, haveWordInCommon } from './names.js';
import { type Entry, isDeleted } from './types.js';

type Records = readonly Entry[];

/** Records that share neither a match key nor a name are separated if their numbers contradict each other. */
export function withoutUnsupported(members: Records): Records[] {
  const parts = componentsOf(members, (a, b) => (a.manual && b.manual) || shareKey(a, b) || shareName(a, b));
  const isPresent = (part: Records) => part.some((entry) => !isDeleted(entry));
  const present = parts.filter(isPresent);
  const kept: Entry[][] = [];
  for (const part of present.length > 0 ? present : parts) {
    const fitting = kept.find((group) => !contradict(group, part));
    if (fitting) fitting.push(...part);
    else kept.push([...part]);
  }
  if (present.length > 0) kept[0]?.push(...parts.filter((part) => !isPresent(part)).flat());
  return kept;
}

/** The oldest record of a person that an operator has not linked and that contradicts the older ones. */
export function misfitOf(members: Records): { entry: Entry; tier: (typeof permanentTiers)[number] } | undefined {
  const numbered = members.filter((entry) => !isDeleted(entry) && hasNumber(entry));
  const [first = [], ...others] = componentsOf(
    numbered,
    (a, b) => permanentTiers.some((tier) => shareTier(a, b, tier)) && !contradict([a], [b]),
  );
  const older = [...first];
  for (const part of others) {
    const isDecided = part.some(({ manual }) => manual) && older.some(({ manual }) => manual);
    const entry = part.find(({ manual }) => !manual);
    const tier = permanentTiers.find((each) => entry && contradictIn([entry], older, each));
    if (!isDecided && entry && tier) return { entry, tier };
    older.push(...part);
  }
  return undefined;
}

const hasNumber = ({ fields }: Entry): boolean => permanentTiers.some((tier) => keysOf(fields, tier).length > 0);

function contradict(a: Records, b: Records): boolean {
  return permanentTiers.some((tier) => contradictIn(a, b, tier));
}

/** Deleted records contradict nothing. */
function contradictIn(a: Records, b: Records, tier: (typeof permanentTiers)[number]): boolean {
  const numbers = (some: Records) =>
    some.filter((entry) => !isDeleted(entry)).flatMap(({ fields }) => keysOf(fields, tier));
  const [one, other] = [numbers(a), numbers(b)];
  return one.length > 0 && other.length > 0 && !one.some((number) => other.includes(number));
}

/** A deleted user has given up its addresses. */
const shareKey = (a: Entry, b: Entry): boolean =>
  tiers.some((tier) => !(isAddress(tier) && (isDeleted(a) || isDeleted(b))) && shareTier(a, b, tier));

const shareTier = (a: Entry, b: Entry, tier: (typeof tiers)[number]): boolean =>
  keysOf(a.fields, tier).some((value) => keysOf(b.fields, tier).includes(value));

const shareName = (a: Entry, b: Entry): boolean => haveWordInCommon(a, b) && !haveOnlyTheLastWordInCommon(a, b);

/** The oldest first. */
export function componentsOf(members: Records, touch: (a: Entry, b: Entry) => boolean): Entry[][] {
  let components: Entry[][] = [];
  for (const entry of members) {
    const touching = components.filter((component) => component.some((other) => touch(entry, other)));
    components = [...components.filter((component) => !touching.includes(component)), [...touching.flat(), entry]];
  }
  const inOrder = (a: Entry, b: Entry) => a.nth - b.nth;
  return components.map((component) => component.sort(inOrder)).sort(([a], [b]) => (a?.nth ?? 0) - (b?.nth ?? 0));
}
